"""The demo fire: an invented landscape, weather and fire, the same for the same seed."""

from firegui.fire.demo.event import make_demo

__all__ = ["make_demo"]
