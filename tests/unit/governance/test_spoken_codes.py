"""Codes of doors, gates, alarms and lockers are taken out however they are worded; what looks like one stays."""

import re

import pytest

from dopejar.governance.redaction.redactor import redact
from dopejar.governance.redaction.spoken_codes import spoken_codes

CODES = """The gate code at Mill Lane is #.
The gate code there has changed as well, it's # now.
The code for the gate is now #.
The key safe opens with #.
The door code changed to # yesterday.
The alarm code has been changed, the new one is #.
They've reset the door code, now it is #.
The gate code went from # to #.
Alarm code used to be #, now it's #.
The code to the back gate is #.
You get into the building with #.
Punch in # at the gate.
Type # into the keypad by the front door.
The burglar alarm is switched off with #.
# opens the gate.
Use # for the side gate.
The gate opens if you press #.
The cleaners' code for the front door is # and the alarm is #.
The cellar door code has changed. It's # now.
The caretaker changed the code on the gate again, it is # now.
The code at the lobby door has been # since March.
The code for the car park barrier: #
My gym locker code is #.
There is a keypad at the shed, the code is #.
Gate: #. Alarm: #.
The office building has a new code, # from Monday on.
I set the garage to a new code, #.""".splitlines()
OTHERS = """The area code is 0161.
Our postcode is 90210.
The error code 4040 comes from the proxy.
The error code on the alarm panel is 4040.
The discount code is 2024.
The discount code for the escape room is 1357.
The voucher code for the garage is 2025.
I'm in room 4471.
The gate at Mill Lane was painted in 2019.
The gate code was changed in 2023.
The gate code is longer than 1000 other words.
The new gate costs 4471 euros.
The key safe cost 5500.
My locker is number 4471.
The garage opens at 0800.
The door opens at 1900 on Fridays.
My alarm is at 0600 now.
The alarm company's area code is 0117.
The part code for the lock is 5521.
The HS code for gates is 7308.
The postal code there has changed, it's 1050 now.
The building code of 2018 requires two exits.
The gate opened in 1999.
The cottage was built in 1750.
Storage is 2048 GB.
The entry for 2023 is missing from the code list.
Use 2000 as the limit for the locker fee.
The door number is 1140.
The source code of the gate controller has 4471 lines.
The code review of the door module is ticket 4471.""".splitlines()
LONG = 20_000


@pytest.mark.parametrize("text", CODES)
@pytest.mark.parametrize("code", ["4471", "9026", "557214"])
def test_a_code_of_what_is_locked_is_taken_out(text, code):
    """Whatever the wording, no digit of the code is left."""
    assert not re.search(r"\d{4}", redact(text.replace("#", code)).text)


@pytest.mark.parametrize("text", OTHERS)
def test_numbers_that_open_nothing_stay(text):
    """Codes of other things, years, prices, times and numbers of rooms stay."""
    assert redact(text).text == text


@pytest.mark.parametrize(
    "unit", ["gate code ", "code 4471 gate ", "opens in with ", "the 4471 is ", "gate 4471 to 4471 "]
)
def test_the_work_grows_with_the_text(unit):
    """A long text of words that almost match ends."""
    text = unit * (LONG // len(unit))
    assert all(0 <= start < end <= len(text) for start, end, _ in spoken_codes(text, [(0, len(text))]))
