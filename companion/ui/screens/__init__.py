"""The touchscreen's screens: each a class that sends inputs, and a .kv file that lays it and others like it out."""

from companion.ui.screens.ask import AskScreen
from companion.ui.screens.calibration import BedsScreen, CalibrateScreen, CopyScreen, KitsScreen, TitleScreen
from companion.ui.screens.camera import CameraScreen
from companion.ui.screens.dice import DiceScreen
from companion.ui.screens.home import HomeScreen, NameScreen, NewScreen, PastScreen
from companion.ui.screens.listed import EndScreen, MoreScreen, SaidScreen
from companion.ui.screens.menu import CorrectScreen, TellScreen
from companion.ui.screens.rulebook import ClauseScreen, HealthScreen, RulebookScreen, SearchScreen
from companion.ui.screens.scores import CodeScreen, ScoresScreen
from companion.ui.screens.table import OtherwiseScreen, TableScreen

SCREENS = {
    "home": HomeScreen,
    "past": PastScreen,
    "new": NewScreen,
    "name": NameScreen,
    "table": TableScreen,
    "otherwise": OtherwiseScreen,
    "ask": AskScreen,
    "tell": TellScreen,
    "correct": CorrectScreen,
    "rulebook": RulebookScreen,
    "clause": ClauseScreen,
    "search": SearchScreen,
    "health": HealthScreen,
    "kits": KitsScreen,
    "calibrate": CalibrateScreen,
    "beds": BedsScreen,
    "copy": CopyScreen,
    "title": TitleScreen,
    "dice": DiceScreen,
    "camera": CameraScreen,
    "scores": ScoresScreen,
    "code": CodeScreen,
    "more": MoreScreen,
    "said": SaidScreen,
    "end": EndScreen,
}
WITHOUT_A_GAME = ("home", "past", "new", "kits", "health", "end")  # all others need one on the table
ABOUT = (
    "clause",
    "code",
    "said",
    "calibrate",
    "beds",
    "copy",
    "title",
    "name",
)  # show nothing unless they are told what
