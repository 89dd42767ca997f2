"""Short forms that English speakers use for a first name and that are no beginning of it.

Always true here: each line is one name with its short forms; a form that is also a word ("will", "art") is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_NAMES = """
michael mike mick|robert bob bobby rob|william bill billy liam|richard rick dick|james jim jimmy jamie|john jack johnny
thomas tom tommy|charles charlie chuck|joseph joe joey|edward ed eddie ted|anthony tony|elizabeth liz beth betty eliza lizzie
margaret maggie meg peggy|katherine kate katie kathy|catherine kate cathy|jennifer jen jenny|rebecca becky becca
deborah deb debbie|patricia pat patty trish|alexander alex sasha|alexandra alex sandra sasha|samuel sam sammy
samantha sam sammy|benjamin ben benny|nicholas nick nicky|christopher chris|christina chris tina|matthew matt|andrew andy drew
daniel dan danny|david dave|stephen steve|steven steve|joshua josh|jonathan jon|gregory greg|timothy tim|kenneth ken
ronald ron|donald don donny|lawrence larry|theodore ted teddy theo|victoria vicky tori|susan sue susie|barbara barb
abigail abby|isabella bella izzy|gabriella gabby|gabriel gabe|nathaniel nate nathan|zachary zach|maximilian max
melanie mel|caroline carrie caro|natalie nat|stephanie steph|jessica jess|vincent vince|frederick fred freddie|henry harry hank
eugene gene|francis frank|francisco paco pancho|jose pepe|aleksandr sasha|dmitry dima|ekaterina katya|mikhail misha|maria masha
"""

SHORT_FORMS: Mapping[str, frozenset[str]] = MappingProxyType(
    {names[0]: frozenset(names[1:]) for line in _NAMES.split("\n") for group in line.split("|") if (names := group.split())}
)
