import type { Change } from '@mainstay/contract/core/events'
import type { Inventory } from '../inventory/types'
import type { Feed } from './follow'
import { MAX_BATCH, MAX_BUFFERED_BYTES, BATCH_EVERY_MS, type Outbox } from './outbox'
import { createPace } from './pace'
import { changeFor, type Recipient, type ChangeWithEntity } from './recipient'

/** Number of sockets that are sent a batch before other work gets a turn. */
const TOGETHER = 10
/** How long missed changes are cached for other clients that reconnect. */
const PAST_KEPT_MS = 10_000

/** A socket in an audience. An audience is a group of sockets that receive the same changes. */
export interface Member {
  reader: Recipient
  /** Changes queued for this socket alone, because it is slow or catching up, or because only its user may see them. */
  outbox: Outbox
  /** All changes up to this revision have been sent or are in the outbox. */
  delivered: number
}

export interface Audiences<Socket extends Member> {
  /** Distributes changes in order, and yields to other work in between. */
  publish(published: readonly ChangeWithEntity[]): Promise<void>
  /**
   * Adds a socket that has all changes up to `delivered`, and queues the changes since then. `feed` must reach back
   * that far. Returns a function that removes the socket.
   */
  join(member: Socket, feed: Feed): () => void
  /** Whether the socket now belongs to another audience because its user's access has changed. */
  hasMoved(member: Socket, reader: Recipient): boolean
}

/**
 * Key of an audience: everything that visibility, redaction and permissions depend on, except the user. Rows that only
 * their owner may see are checked separately for each user.
 */
export function audienceOf({ scope, grants, ownProjectOnly }: Recipient): string {
  const rights = Object.entries(grants).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([scope.kind, scope.domain_id, scope.project_id, ownProjectOnly, rights])
}

const rowOf = ({ kind, id }: Change): string => `${kind}\n${id}`

/** The latest change to each row, in order of revision. */
class Latest {
  readonly #changes = new Map<string, Change>()
  add(change: Change): void {
    const row = rowOf(change)
    this.#changes.delete(row)
    this.#changes.set(row, change)
  }
  get size(): number {
    return this.#changes.size
  }
  all(): Change[] {
    return [...this.#changes.values()]
  }
}

const inOrder = (one: readonly Change[], other: readonly Change[]): readonly Change[] =>
  other.length === 0 ? one : [...one, ...other].toSorted((a, b) => a.revision - b.revision)

interface Audience<Socket> {
  reader: Recipient
  members: Set<Socket>
  /** All changes up to this revision have been checked. */
  heard: number
  waiting: Latest
  waitingOf: Map<string, Latest>
  timer: NodeJS.Timeout | null
  flushedAt: number
  flushing: Promise<void> | null
  /** Changes after `from` up to `to`, already checked, for sockets that catch up. */
  past: { from: number; to: number; changes: Change[]; timer: NodeJS.Timeout } | null
}

export function createAudiences<Socket extends Member>(tools: {
  inventory: Inventory
  /** Sends the same changes to several sockets. */
  send: (members: readonly Socket[], changes: readonly Change[]) => void
  bufferedBytes: (member: Socket) => number
}): Audiences<Socket> {
  const { inventory, send } = tools
  const audiences = new Map<string, Audience<Socket>>()

  const isPersonal = ({ change }: ChangeWithEntity): boolean => inventory.kinds.get(change.kind)?.visibility === 'owner'

  function hear(audience: Audience<Socket>, published: ChangeWithEntity): void {
    audience.heard = published.change.revision
    if (isPersonal(published)) hearForEachUser(audience, published)
    else {
      const change = changeFor(inventory, audience.reader, published)
      if (change) audience.waiting.add(change)
    }
    const waits = audience.waiting.size > 0 || audience.waitingOf.size > 0
    if (waits && !audience.timer && !audience.flushing) plan(audience)
  }

  function hearForEachUser({ members, waitingOf }: Audience<Socket>, published: ChangeWithEntity): void {
    const readers = new Map([...members].map(({ reader }) => [reader.scope.user_id, reader]))
    for (const [user, reader] of readers) {
      const change = changeFor(inventory, reader, published)
      if (!change) continue
      const latest = waitingOf.get(user) ?? new Latest()
      waitingOf.set(user, latest)
      latest.add(change)
    }
  }

  function plan(audience: Audience<Socket>): void {
    const inMs = Math.max(0, audience.flushedAt + BATCH_EVERY_MS - performance.now())
    audience.timer = setTimeout(() => void flush(audience), inMs)
  }

  async function flush(audience: Audience<Socket>): Promise<void> {
    if (audience.timer) clearTimeout(audience.timer)
    audience.timer = null
    while (audience.flushing) await audience.flushing
    audience.flushing = deliver(audience)
    await audience.flushing
    audience.flushing = null
    audience.flushedAt = performance.now()
    if (!audience.timer && (audience.waiting.size > 0 || audience.waitingOf.size > 0)) plan(audience)
  }

  const keepsUp = (member: Socket): boolean =>
    member.outbox.isEmpty() && tools.bufferedBytes(member) <= MAX_BUFFERED_BYTES

  /**
   * Sends queued changes: one shared frame to all sockets that keep up, and the missing changes to each of the others.
   */
  async function deliver(audience: Audience<Socket>): Promise<void> {
    const { members, heard, waitingOf } = audience
    const shared = audience.waiting.all()
    audience.waiting = new Latest()
    audience.waitingOf = new Map()
    const pace = createPace()
    let together: Socket[] = []
    let looked = 0
    const sendTogether = () => {
      if (together.length > 0 && shared.length > 0) send(together, shared)
      together = []
    }
    for (const member of members) {
      if (member.delivered >= heard) continue
      const own = waitingOf.get(member.reader.scope.user_id)?.all() ?? []
      const knowsSome = shared.length > 0 && shared[0]!.revision <= member.delivered
      if (own.length === 0 && !knowsSome && keepsUp(member)) together.push(member)
      else for (const change of inOrder(shared, own)) if (change.revision > member.delivered) member.outbox.add(change)
      member.delivered = heard
      looked += 1
      if (looked % TOGETHER > 0) continue
      sendTogether()
      await pace()
    }
    sendTogether()
  }

  /** Changes for the audience since a revision. Uses the cache if it reaches back that far. */
  function pastOf(audience: Audience<Socket>, since: number, feed: Feed): Change[] {
    const known = audience.past
    const from = known && known.from <= since && feed.after(known.to) ? known : null
    const published = feed.after(from ? from.to : since)!
    const more = published.flatMap((it) => (isPersonal(it) ? [] : (changeFor(inventory, audience.reader, it) ?? [])))
    if (known) clearTimeout(known.timer)
    audience.past = {
      from: from ? from.from : since,
      to: feed.position(),
      changes: from ? [...from.changes, ...more] : more,
      timer: setTimeout(() => (audience.past = null), PAST_KEPT_MS).unref(),
    }
    return audience.past.changes.filter(({ revision }) => revision > since)
  }

  function catchUp(audience: Audience<Socket>, member: Socket, feed: Feed): void {
    const published = feed.after(member.delivered)
    if (!published) throw new Error('the change log was shortened while it was read')
    if (published.length > 0) {
      const latest = new Latest()
      const own = published.flatMap((it) => (isPersonal(it) ? (changeFor(inventory, member.reader, it) ?? []) : []))
      for (const change of inOrder(pastOf(audience, member.delivered, feed), own)) latest.add(change)
      for (const change of latest.all()) member.outbox.add(change)
    }
    member.delivered = Math.max(member.delivered, feed.position())
  }

  function open(reader: Recipient): Audience<Socket> {
    const key = audienceOf(reader)
    const known = audiences.get(key)
    if (known) return known
    const made: Audience<Socket> = {
      reader,
      members: new Set(),
      heard: 0,
      waiting: new Latest(),
      waitingOf: new Map(),
      timer: null,
      flushedAt: 0,
      flushing: null,
      past: null,
    }
    audiences.set(key, made)
    return made
  }

  function leave(audience: Audience<Socket>, member: Socket): void {
    audience.members.delete(member)
    const key = audienceOf(audience.reader)
    if (audience.members.size > 0 || audiences.get(key) !== audience) return
    audiences.delete(key)
    if (audience.timer) clearTimeout(audience.timer)
    if (audience.past) clearTimeout(audience.past.timer)
  }

  return {
    async publish(published) {
      const pace = createPace()
      for (const audience of [...audiences.values()])
        for (const it of published) {
          hear(audience, it)
          if (audience.waiting.size >= MAX_BATCH) await flush(audience)
          await pace()
        }
    },
    join(member, feed) {
      const audience = open(member.reader)
      catchUp(audience, member, feed)
      audience.members.add(member)
      return () => leave(audience, member)
    },
    hasMoved: (member, reader) =>
      audienceOf(member.reader) !== audienceOf(reader) || member.reader.scope.user_id !== reader.scope.user_id,
  }
}
