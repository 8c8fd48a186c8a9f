"""What follows from runs, in plain words: each sentence from numbers, or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from kmirror_lab.duplicates.result import Conditions, Effect, Peer, Run
from kmirror_lab.report.pairs import with_and_without
from kmirror_lab.report.series import AXES, link_of, series_of, twice_share
from kmirror_lab.report.texts import NAMES, Text, code, counted, listed

Runs = Sequence[Run]

_THEIRS = (Peer.MIRROR_MAKER, Peer.MIRROR_MAKER_1)


def conclusions(runs: Runs) -> list[Text]:
    """Say what the runs show; about what no run was made, nothing."""
    rules: tuple[Callable[[Runs], Iterator[Text]], ...] = (
        _doubled,
        _died,
        _out_of_order,
        _one_batch,
        _compared,
        with_and_without,
        _unharmed,
        _ours,
        _late,
        _speed,
        _unexpected,
    )
    return [text for rule in rules for text in rule(runs)]


def harmed(run: Run) -> bool:
    """
    Return whether a record is there twice, lost or out of order, or the mirror died or stood still.

    Of kmirror also whether it has copied less than the link could carry.
    """
    return run.died or not run.audit.exact or _stopped(run)


def _stopped(run: Run) -> bool:
    return run.fell_short or Effect.STANDS_STILL in run.effects


def _of(runs: Runs, peer: Peer) -> list[Run]:
    return [run for run in runs if run.peer is peer]


def _runs(runs: Runs) -> str:
    return counted(len(runs), "run")


def _names(runs: Runs) -> str:
    return ", ".join(dict.fromkeys(code(run.scenario) for run in runs))


def _doubled(runs: Runs) -> Iterator[Text]:
    for peer in _THEIRS:
        ours, name = _of(runs, peer), NAMES[peer]
        bad = [run for run in ours if run.audit.duplicated]
        if bad:
            worst = max(bad, key=lambda run: run.audit.duplicated)
            found, where, share = worst.audit, code(worst.scenario), twice_share(worst)
            text = Text(
                f"{name} wrote records twice in {len(bad)} of {_runs(ours)}. Most in {where}: "
                f"{found.duplicated:,} of the {found.mirrored:,} records on the target are "
                f"copies of others, {share:.0f} %.",
                f"{name} 在 {len(ours)} 次运行中有 {len(bad)} 次写入了重复记录。最多的是 {where}："
                f"目标端 {found.mirrored:,} 条记录中有 {found.duplicated:,} 条是副本，"
                f"占 {share:.0f} %。",
            )
            yield _with_reason(text, worst)
        elif ours:
            yield Text(
                f"{name} wrote no record twice in {_runs(ours)}.",
                f"{name} 在 {len(ours)} 次运行中没有写入重复记录。",
            )


def _with_reason(text: Text, run: Run) -> Text:
    if not run.timeouts or run.retries is None:
        return text
    return Text(
        f"{text.en} Its producer gave up waiting for an answer {counted(run.timeouts, 'time')}, "
        f"and sent {run.retries:,} batches again.",
        f"{text.zh}它的生产者有 {run.timeouts:,} 次不再等待应答，并重发了 {run.retries:,} 个批次。",
    )


def _died(runs: Runs) -> Iterator[Text]:
    for peer in _THEIRS:
        ours, name = _of(runs, peer), NAMES[peer]
        dead = [run for run in ours if run.died]
        if dead:
            worst = max(dead, key=lambda run: run.audit.produced - run.audit.distinct)
            found, where = worst.audit, code(worst.scenario)
            missing = found.produced - found.distinct
            yield Text(
                f"{name} died in {len(dead)} of {_runs(ours)}, and copies nothing more until "
                f"somebody starts it again. In {where} {missing:,} of {found.produced:,} records "
                "had not arrived then.",
                f"{name} 在 {len(ours)} 次运行中有 {len(dead)} 次自行终止，"
                "直到有人重新启动才会继续复制。"
                f"在 {where} 中，{found.produced:,} 条记录有 {missing:,} 条没有到达。",
            )


def _out_of_order(runs: Runs) -> Iterator[Text]:
    for peer in _THEIRS:
        name = NAMES[peer]
        bad = [run for run in _of(runs, peer) if run.audit.reordered]
        if bad:
            worst = max(bad, key=lambda run: run.audit.reordered)
            count, where = worst.audit.reordered, code(worst.scenario)
            yield Text(
                f"{name} put records out of order in {_runs(bad)}, most in {where}: {count:,}.",
                f"{name} 在 {len(bad)} 次运行中打乱了记录顺序，最多的是 {where}：{count:,} 条。",
            )


def _one_batch(runs: Runs) -> Iterator[Text]:
    run = next((run for run in runs if run.doubled), None)
    if run is None or run.doubled is None:
        return
    one, where = run.doubled, code(run.scenario)
    waited_ms = (one.timed_out_s - one.sent_s) * 1000
    (a, b), (c, d) = one.first, one.second
    again = "" if one.again_s is None else f" at {one.again_s:.2f} s"
    again_zh = "" if one.again_s is None else f"于 {one.again_s:.2f} 秒"
    yield Text(
        f"How it comes, by the example of {one.records:,} records in {where}: they were sent at "
        f"{one.sent_s:.2f} s, given up after {waited_ms:.0f} ms, and sent again{again}. The first "
        f"try was on its way all the same: the target has them at offsets {a:,} to {b:,}, seen at "
        f"{one.first_seen_s:.2f} s, and again at {c:,} to {d:,}, seen at "
        f"{one.second_seen_s:.2f} s.",
        f"重复的由来，以 {where} 中的 {one.records:,} 条记录为例：它们在 {one.sent_s:.2f} 秒发出，"
        f"{waited_ms:.0f} 毫秒后被放弃，{again_zh}重新发送。但第一次发送的数据仍在途中："
        f"目标端在偏移量 {a:,} 至 {b:,} "
        f"有这些记录（{one.first_seen_s:.2f} 秒时看到），在 {c:,} 至 {d:,} 又有一份"
        f"（{one.second_seen_s:.2f} 秒时看到）。",
    )


def _compared(runs: Runs) -> Iterator[Text]:
    for axis in AXES:
        for series in series_of(_of(runs, Peer.MIRROR_MAKER), axis):
            bad = {value for value, run in series.points if run.audit.duplicated}
            dead = {value for value, run in series.points if run.died} - bad
            fine = {value for value, _ in series.points} - bad - dead
            parts = (
                (bad, "records are there twice with {}", "{} 时有重复记录"),
                (dead, "none, but the task died, with {}", "{} 时没有重复记录，但任务终止"),
                (fine, "none with {}", "{} 时没有重复记录"),
            )
            parts_shown = [
                (en.format(listed(shown)), zh.format("、".join(shown)))
                for values, en, zh in parts
                if (shown := [axis.show(each) for each in sorted(values)])
            ]
            yield Text(
                f"{NAMES[series.peer]}, all else the same ({series.fixed}), {axis.title.en}: "
                f"{'; '.join(en for en, _ in parts_shown)}.",
                f"{NAMES[series.peer]}，其他条件相同（{series.fixed}），{axis.title.zh}："
                f"{'；'.join(zh for _, zh in parts_shown)}。",
            )


def _unharmed(runs: Runs) -> Iterator[Text]:
    for peer in _THEIRS:
        fine = [run for run in _of(runs, peer) if run.complete and not harmed(run)]
        if fine:
            yield Text(
                f"{NAMES[peer]} copied everything, once and in order, in {_names(fine)}.",
                f"{NAMES[peer]} 在以下场景中完整复制，没有重复，顺序不变：{_names(fine)}。",
            )


def _ours(runs: Runs) -> Iterator[Text]:
    ours = _of(runs, Peer.KMIRROR)
    if not ours:
        return
    bad = [run for run in ours if harmed(run)]
    scenarios = len({run.scenario for run in ours})
    if bad:
        twice, lost, wrong = (
            sum(getattr(run.audit, name) for run in bad)
            for name in ("duplicated", "lost", "reordered")
        )
        dead, stopped = sum(run.died for run in bad), sum(map(_stopped, bad))
        yield Text(
            f"kmirror did harm in {len(bad)} of {_runs(ours)} ({_names(bad)}): {twice:,} "
            f"records twice, {lost:,} lost, {wrong:,} out of order; died {counted(dead, 'time')}, "
            f"copied too little {counted(stopped, 'time')}.",
            f"kmirror 在 {len(ours)} 次运行中有 {len(bad)} 次造成了损害（{_names(bad)}）："
            f"{twice:,} 条重复，{lost:,} 条丢失，{wrong:,} 条乱序；{dead:,} 次自行终止，"
            f"{stopped:,} 次复制的记录过少。",
        )
    else:
        yield Text(
            f"kmirror: no record twice, none lost, none out of order, in {_runs(ours)} of "
            f"{counted(scenarios, 'scenario')}.",
            f"kmirror：{scenarios} 个场景、{len(ours)} 次运行，"
            "没有重复、没有丢失、没有乱序的记录。",
        )


def _late(runs: Runs) -> Iterator[Text]:
    for run in runs:
        if not run.complete and not run.died:
            found, where, name = run.audit, code(run.scenario), NAMES[run.peer]
            yield Text(
                f"{name} had copied {found.distinct:,} of {found.produced:,} records in {where} "
                "when time was up.",
                f"在 {where} 中，时间用完时 {name} 复制了 {found.produced:,} 条记录中的 "
                f"{found.distinct:,} 条。",
            )


def _speed(runs: Runs) -> Iterator[Text]:
    """Compare on each link: kmirror's slowest run with the best one of MirrorMaker 2."""
    links: dict[tuple[Conditions, int], list[Run]] = {}
    for run in runs:
        link = replace(
            run.conditions,
            asked="",
            changes=(),
            request_timeout_ms=0,
            batch_bytes=0,
            keys=True,
            lines=(),
        )
        links.setdefault((link, run.audit.produced), []).append(run)
    for (link, _), there in links.items():
        ours = [run for run in _of(there, Peer.KMIRROR) if run.complete and not harmed(run)]
        theirs = _of(there, Peer.MIRROR_MAKER)
        if not ours or not theirs:
            continue
        slowest = min(run.records_per_s for run in ours)
        fine = [run for run in theirs if run.complete and not harmed(run)]
        where, where_zh = f"On the link {code(link_of(link))}", f"在链路 {code(link_of(link))} 上"
        if all(map(harmed, theirs)):
            yield Text(
                f"{where} MirrorMaker 2 did harm in each of {_runs(theirs)}; kmirror copied "
                f"everything without, {slowest:,.0f} records/s.",
                f"{where_zh}，MirrorMaker 2 的 {len(theirs)} 次运行每次都造成了损害；"
                f"kmirror 无损地全部复制，每秒 {slowest:,.0f} 条记录。",
            )
        if not fine:
            continue
        best = max(fine, key=lambda run: run.records_per_s)
        share = 100 * slowest / best.records_per_s
        yield Text(
            f"{where} kmirror copied {slowest:,.0f} records/s; MirrorMaker 2, at its best without "
            f"harm ({code(best.scenario)}), {best.records_per_s:,.0f}: kmirror has {share:.0f} % "
            "of that.",
            f"{where_zh}，kmirror 每秒复制 {slowest:,.0f} 条记录；MirrorMaker 2 在无损情况下最快"
            f"（{code(best.scenario)}）为 {best.records_per_s:,.0f} 条："
            f"kmirror 达到其 {share:.0f} %。",
        )


def _unexpected(runs: Runs) -> Iterator[Text]:
    odd = [run for run in runs if not run.as_expected]
    if odd:
        named = ", ".join(f"{code(run.scenario)} ({run.peer})" for run in odd)
        yield Text(
            f"It came out otherwise than the scenario foretells in {named}.",
            f"结果与场景的预期不符：{named}。",
        )
