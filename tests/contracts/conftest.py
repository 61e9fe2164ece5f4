"""Contract suites live in the package; their assertions are to be as telling as those of tests."""

import pytest

pytest.register_assert_rewrite("dopejar.testing")
