"""What the report says, in English and in Chinese."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from kmirror_lab.duplicates.result import Peer

NAMES = {
    Peer.MIRROR_MAKER: "MirrorMaker 2",
    Peer.MIRROR_MAKER_1: "MirrorMaker 1",
    Peer.KMIRROR: "kmirror",
}
"""What people call the mirrors."""


class Language(StrEnum):
    """A language of the report, as `lang` attributes name it."""

    EN = "en"
    ZH = "zh"


@dataclass(frozen=True, slots=True)
class Text:
    """
    The same in each language; names stand between backticks.

    Args:
        en: In English.
        zh: In Chinese.
    """

    en: str
    zh: str

    def __getitem__(self, language: Language) -> str:
        return self.en if language is Language.EN else self.zh


def code(name: str) -> str:
    """Mark a name as one."""
    return "`" + name.replace("`", "'") + "`"


class Labels:
    """What does not depend on the runs."""

    TITLE = Text("Mirrors on bad links: what is there twice", "劣质链路上的镜像：哪些记录重复了")
    LANGUAGE = Text("Language", "语言")
    NAME = Text("English", "中文")
    ABOUT = Text(
        "Made by `kmirror lab report` from what `kmirror lab duplicates --json` measured. "
        "Each line of the tables is one run.",
        "由 `kmirror lab report` 根据 `kmirror lab duplicates --json` 的测量结果生成。"
        "表中每一行是一次运行。",
    )
    CONCLUSIONS = Text("What follows from it", "结论")
    RUNS = Text("The runs", "各次运行")
    PLOTS = Text("Plots", "图表")
    REPEAT = Text("To have it again", "如何重现")
    LEFT_OUT = Text("What is not drawn", "未绘制的图")
    LOG = Text("The producer's log says:", "生产者日志原文：")
    SCENARIO = Text("scenario", "场景")
    MIRROR = Text("mirror", "镜像程序")
    PRODUCED = Text("produced", "源端记录")
    MIRRORED = Text("mirrored", "目标端记录")
    DISTINCT = Text("distinct", "不同记录")
    TWICE = Text("twice", "重复")
    LOST = Text("lost", "丢失")
    NOT_YET = Text("not yet", "未到达")
    OUT_OF_ORDER = Text("out of order", "乱序")
    RATE = Text("records/s", "记录/秒")
    TIMEOUTS = Text("time-outs", "超时")
    SENT_AGAIN = Text("sent again", "重发批次")
    DIED = Text("died", "终止")
    FORETOLD = Text("as foretold", "符合预期")
    YES = Text("yes", "是")
    NO = Text("no", "否")
    TIMEOUT = Text("request time-out", "请求超时")
    BATCH = Text("batch", "批次大小")
    LINK = Text("link", "链路")
    COMMAND = Text("command", "命令")
    COLUMNS = Text(
        "Mirrored: records in the target. Distinct: different ones of the source's among them. "
        "Twice: copies behind the first of a record. Lost: not there although later ones of the "
        "partition are. Not yet: not there, and none behind it either. Records/s: distinct ones, "
        "from the first in the source to the last new one in the target. A dash: the mirror's log "
        "does not tell.",
        "“目标端记录”是目标集群中的记录数；“不同记录”是其中互不相同的源记录数；"
        "“重复”是同一记录第一份之后的副本数；"
        "“丢失”指该分区后面的记录已到而它不在；“未到达”指它及其后的记录都不在；"
        "“记录/秒”按不同记录计算，"
        "从源端出现第一条记录到目标端出现最后一条新记录为止。短横线表示镜像程序的日志没有记录。",
    )
    COURSE = Text(
        "A record counts from the moment when a read_committed consumer can see it: what a "
        "transaction holds appears at once, when it is committed.",
        "记录从 read_committed 消费者可以看到时起计入：一个事务中的记录在提交时同时出现。",
    )
    SETTINGS = Text(
        "Request time-out and batch as the mirror's file says; kmirror raises a request time-out "
        "below 5000 ms to that.",
        "请求超时和批次大小取自镜像程序的配置文件；"
        "kmirror 会把低于 5000 毫秒的请求超时提高到 5000 毫秒。",
    )


def counted(count: int, noun: str) -> str:
    """Write how many of something there are."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def listed(words: list[str]) -> str:
    """Write a list as people do."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
