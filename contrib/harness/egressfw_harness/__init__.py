"""egressfw for evaluation harnesses: one policy from a task's scopes, locked in before the agent runs."""

from .address_list import AddressList, address_list
from .policy import Policy
from .preflight import Gap, PreflightError, preflight
from .program import Egressfw, Result, run_here
from .scope import merge
from .session import LockError, NotLockedError, Session, Step, TooLateError
from .walls import ListWall, RulesWall

__all__ = [
    "AddressList",
    "Egressfw",
    "Gap",
    "ListWall",
    "LockError",
    "NotLockedError",
    "Policy",
    "PreflightError",
    "Result",
    "RulesWall",
    "Session",
    "Step",
    "TooLateError",
    "address_list",
    "merge",
    "preflight",
    "run_here",
]
