"""Levels of the JVM's loggers."""

from __future__ import annotations

from typing import Any

from kmirror.pipeline.jvm_calls import calling_jvm


@calling_jvm()
def set_jvm_level(jvm: Any, name: str, level: str) -> None:
    """
    Have a logger and those below it write from a level on.

    Args:
        jvm: The JVM.
        name: The logger's: a class, or a package.
        level: Log4j's word for it.

    Raises:
        JvmLost: It has ended.
    """
    log4j = jvm.org.apache.logging.log4j
    log4j.core.config.Configurator.setAllLevels(name, log4j.Level.toLevel(level))
