"""The calendar in words: months of eight languages by name and by common short form.

Always true here: a name stands for one month in every language that has it, so no language has to be known.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_MONTHS = """
january jan januar jänner janvier enero январь января январе
february feb februar feber février fevrier febrero февраль февраля феврале
march mar märz maerz mars marzo март марта марте
april apr avril abril апрель апреля апреле
may mai mayo май мая мае
june jun juni juin junio июнь июня июне
july jul juli juillet julio июль июля июле
august aug août aout agosto август августа августе
september sep sept septembre septiembre setiembre сентябрь сентября сентябре
october oct oktober okt octobre octubre октябрь октября октябре
november nov novembre noviembre ноябрь ноября ноябре
december dec dezember dez décembre decembre diciembre dic декабрь декабря декабре
"""

MONTHS: Mapping[str, int] = MappingProxyType(
    {name: number for number, line in enumerate(_MONTHS.strip().split("\n"), 1) for name in line.split()}
)
