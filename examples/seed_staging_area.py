"""The staging area: advice is staged, a hemisphere is suggested, and a reviewer assigns it.

Run it with `python examples/seed_staging_area.py`.
"""

from __future__ import annotations

from dopejar import open_memory
from dopejar.seeds import Hemisphere, ProceduralMemory, classify_bullet_hemisphere

with open_memory(said_by="tool") as memory:
    staging = ProceduralMemory(memory)
    strict = staging.add("Always verify the checksum before you unpack an archive.", Hemisphere.LEFT)
    open_ended = staging.add("Maybe explore what a colleague from sales would ask first.", Hemisphere.RIGHT)
    for bullet in staging.list_staged():
        print(bullet.status, bullet.suggested_hemisphere, bullet.text)  # > staged
    side, confidence = classify_bullet_hemisphere(strict.text)
    print(side, confidence > 0.5)  # > left True

    # a name alone proves nothing: it is recorded, and the bullet goes on waiting
    print(staging.assign_staged_bullet(strict.id, Hemisphere.LEFT, reviewer="ana").status)  # > staged

    memory.reviewers.add("ana", "correct horse battery")
    ana = memory.reviewers.unlock("correct horse battery")
    assigned = staging.assign_staged_bullet(strict.id, Hemisphere.LEFT, reviewer=ana)
    print(assigned.status, assigned.side, assigned.assigned_by)  # > quarantined left ana
    rejected = staging.reject_staged_bullet(open_ended.id, "too vague for us", reviewer=ana)
    print(rejected.status)  # > rejected
