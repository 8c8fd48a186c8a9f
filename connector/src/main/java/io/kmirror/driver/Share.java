package io.kmirror.driver;

import java.io.Serializable;

/**
 * One source partition that a slot has to copy.
 *
 * @param topic source topic
 * @param partition partition number, the same on both sides
 * @param target target topic
 * @param position topic whose partition of that number has the position, in the flow's group
 * @param topicId id of the source topic when the plan was made, or ""
 * @param targetId id of the target topic when the plan was made, or ""
 * @param until source offset at which a bounded copy ends, or null
 * @param poison what becomes of a record with which the partition cannot go on
 */
public record Share(
    String topic,
    int partition,
    String target,
    String position,
    String topicId,
    String targetId,
    Long until,
    Poison poison)
    implements Serializable {}
