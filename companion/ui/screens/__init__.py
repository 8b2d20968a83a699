"""The touchscreen's screens: each a class that sends inputs, and a .kv file of the same name that lays it out."""

from companion.ui.screens.camera import CameraScreen
from companion.ui.screens.dice import DiceScreen
from companion.ui.screens.listed import AskScreen, EndScreen, MoreScreen, TellScreen
from companion.ui.screens.table import TableScreen

SCREENS = {
    "table": TableScreen,
    "camera": CameraScreen,
    "more": MoreScreen,
    "dice": DiceScreen,
    "tell": TellScreen,
    "ask": AskScreen,
    "end": EndScreen,
}
