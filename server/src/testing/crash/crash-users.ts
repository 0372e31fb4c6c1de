import { setTimeout as pause } from 'node:timers/promises'
import type { Image } from '@mainstay/contract/compute/images'
import { images } from '@mainstay/contract/compute/images'
import type { Instance } from '@mainstay/contract/compute/instances'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { Problem } from '@mainstay/contract/core/problems'
import type { Volume } from '@mainstay/contract/storage/volumes'
import { volumes } from '@mainstay/contract/storage/volumes'
import type { ApiClient } from '../api-client'

/** Returns numbers from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number

/**
 * What the users know about an object. Each set holds the possible values: one value after a response, plus the
 * requested value after a request without a response.
 */
export interface Item {
  kind: 'server' | 'volume' | 'image'
  id: string
  there: Set<boolean>
  names: Set<string>
  /** Only for an instance. */
  statuses: Set<Instance['status']>
  /** Only for a volume: the instance it is attached to ('' for none), and its size. */
  holders: Set<string>
  sizes: Set<number>
}

/** Requests sent and responses received by the users. */
export interface Ledger {
  items: Map<string, Item>
  /** Create requests without a response, by name: either all objects in a request exist, or none. */
  asked: { kind: Item['kind']; names: string[] }[]
  /** Responses with a 5xx status, which are always errors. */
  faults: string[]
  answered: number
  /** Number of responses saying that the database is unavailable; the request may have been applied. */
  withoutDatabase: number
}
export const emptyLedger = (): Ledger => ({ items: new Map(), asked: [], faults: [], answered: 0, withoutDatabase: 0 })

/** The server responded that the database is unavailable: the request may or may not have been applied. */
class NotKnown extends Error {}
const PAUSE_MS = 100

const most = { server: 3, volume: 5, image: 2 }
/** A user who acts continuously until the server stops responding or the test tells the user to stop. */
export function crashUser(
  ledger: Ledger,
  name: string,
  random: Random,
  {
    kinds,
    without = [],
    flavor = 's1.nano',
  }: { kinds: readonly Item['kind'][]; without?: readonly string[]; flavor?: string },
) {
  let made = 0
  const own = (kind: Item['kind']) =>
    [...ledger.items.values()].filter((it) => it.kind === kind && isMine(it) && !it.there.has(false))
  const isMine = (item: Item) => [...item.names].some((it) => it.startsWith(`${name}-`))
  const oneOf = <Value>(values: readonly Value[]): Value | undefined => values[Math.floor(random() * values.length)]
  const freshName = (kind: string) => `${name}-${kind}-${++made}-${Math.floor(random() * 1e9).toString(36)}`

  const remember = (kind: Item['kind'], row: Instance | Volume | Image) =>
    ledger.items.set(row.id, itemOf(kind, row, kind === 'server' ? 'ACTIVE' : null))

  /** Sends a request. `may` first adds possible values; `is` then replaces them with the values in the response. */
  async function ask<Reply>(
    question: () => Promise<Reply>,
    may: () => void,
    is: (reply: Reply) => void,
  ): Promise<void> {
    const before = structuredClone([...ledger.items.values()].map(({ id, ...sets }) => [id, sets] as const))
    may()
    try {
      is(await question())
      ledger.answered++
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      if (error.code === 'database_unavailable') {
        ledger.withoutDatabase++
        throw new NotKnown(error.message)
      }
      ledger.answered++
      if (error.status >= 500) ledger.faults.push(`${error.status} ${error.code}: ${error.message}`)
      // the request was refused, so nothing has changed
      for (const [id, sets] of before) if (isMine(ledger.items.get(id)!)) Object.assign(ledger.items.get(id)!, sets)
    }
  }

  async function create(api: ApiClient, kind: Item['kind'], question: (name: string) => Promise<unknown>, count = 1) {
    const base = freshName(kind)
    const entry = { kind, names: count === 1 ? [base] : Array.from({ length: count }, (_, at) => `${base}-${at + 1}`) }
    await ask(
      () => question(base),
      () => ledger.asked.push(entry),
      (reply) => {
        const row = reply as Instance | Volume | Image
        const ids = (reply as { created_ids?: string[] }).created_ids ?? [row.id]
        for (const [at, id] of ids.entries()) remember(kind, { ...row, id, name: entry.names[at]! })
      },
    )
    ledger.asked.splice(ledger.asked.indexOf(entry), 1)
  }

  const actions: Record<Item['kind'], Record<string, (api: ApiClient) => Promise<void>>> = {
    volume: {
      create: async (api) => {
        if (own('volume').length >= most.volume) return
        const image = random() < 0.3 ? oneOf(own('image')) : undefined
        await create(api, 'volume', (called) =>
          api.call(volumes.create, { body: { name: called, size: GiB, image_id: image?.id ?? null } }),
        )
      },
      rename: async (api) => {
        const item = oneOf(own('volume'))
        if (!item) return
        const called = freshName('volume')
        await ask(
          () => api.call(volumes.update, { params: { id: item.id }, body: { name: called } }),
          () => item.names.add(called),
          () => (item.names = new Set([called])),
        )
      },
      extend: async (api) => {
        const item = oneOf(own('volume'))
        if (!item) return
        const size = Math.max(...item.sizes) + GiB
        await ask(
          () => api.call(volumes.extend, { params: { id: item.id }, body: { size } }),
          () => item.sizes.add(size),
          () => (item.sizes = new Set([size])),
        )
      },
      attach: async (api) => {
        const [item, server] = [oneOf(own('volume')), oneOf(own('server'))]
        if (!item || !server) return
        await ask(
          () => api.call(instances.attachVolume, { params: { id: server.id }, body: { volume_id: item.id } }),
          () => item.holders.add(server.id),
          () => (item.holders = new Set([server.id])),
        )
      },
      detach: async (api) => {
        const item = oneOf(own('volume').filter(({ holders }) => holders.size === 1 && !holders.has('')))
        if (!item) return
        const [id = ''] = item.holders
        await ask(
          () => api.call(instances.detachVolume, { params: { id, volume_id: item.id } }),
          () => item.holders.add(''),
          () => (item.holders = new Set([''])),
        )
      },
      delete: async (api) => {
        const item = oneOf(own('volume'))
        if (!item) return
        await ask(
          () => api.call(volumes.delete, { params: { id: item.id }, query: { permanent: 'true' } }),
          () => item.there.add(false),
          () => (item.there = new Set([false])),
        )
      },
    },
    server: {
      create: async (api) => {
        if (own('server').length >= most.server) return
        const image = random() < 0.6 ? oneOf(own('image')) : undefined
        const count = random() < 0.3 ? 2 : 1
        const volume = image
          ? ({ source: 'image', id: image.id, size: GiB } as const)
          : ({ source: 'blank', size: GiB, boot_index: 0 } as const)
        await create(
          api,
          'server',
          (called) =>
            api.call(instances.create, { body: { name: called, count, flavor, volumes: [volume], networks: [] } }),
          count,
        )
      },
      rename: async (api) => {
        const item = oneOf(own('server'))
        if (!item) return
        const called = freshName('server')
        await ask(
          () => api.call(instances.update, { params: { id: item.id }, body: { name: called } }),
          () => item.names.add(called),
          () => (item.names = new Set([called])),
        )
      },
      stop: (api) =>
        turn(oneOf(own('server')), 'SHUTOFF', (id) =>
          api.call(instances.stop, { params: { id }, body: { hard: random() < 0.5, timeout: 5 } }),
        ),
      start: (api) =>
        turn(oneOf(own('server')), 'ACTIVE', (id) => api.call(instances.start, { params: { id }, body: {} })),
      suspend: (api) =>
        turn(oneOf(own('server')), 'SUSPENDED', (id) => api.call(instances.suspend, { params: { id }, body: {} })),
      resume: (api) =>
        turn(oneOf(own('server')), 'ACTIVE', (id) => api.call(instances.resume, { params: { id }, body: {} })),
      delete: async (api) => {
        const item = oneOf(own('server'))
        if (!item) return
        // including volumes that may or may not be attached
        const held = [...ledger.items.values()].filter((it) => isMine(it) && it.holders.has(item.id))
        await ask(
          () => api.call(instances.delete, { params: { id: item.id }, query: { permanent: 'true' } }),
          () => {
            item.there.add(false)
            for (const volume of held) volume.holders.add('')
          },
          () => {
            item.there = new Set([false])
            for (const volume of held) volume.holders.delete(item.id)
          },
        )
      },
    },
    image: {
      create: async (api) => {
        if (own('image').length >= most.image) return
        // large enough that a kill interrupts some uploads; a bootable image
        const bytes = new Uint8Array(512 * Math.floor(1 + random() * 4096))
        bytes.set([0x55, 0xaa], 510)
        await create(api, 'image', (called) =>
          api.call(images.create, {
            bytes,
            headers: { 'x-hci-image-name': btoa(called), 'x-hci-image-disk-format': 'raw' },
          }),
        )
      },
      rename: async (api) => {
        const item = oneOf(own('image'))
        if (!item) return
        const called = freshName('image')
        await ask(
          () => api.call(images.update, { params: { id: item.id }, body: { name: called } }),
          () => item.names.add(called),
          () => (item.names = new Set([called])),
        )
      },
      delete: async (api) => {
        // delete only the newest image right after its upload, while nothing is being created from it
        const [item] = own('image').slice(most.image - 1)
        if (!item || own('volume').length > 0 || own('server').length > 0) return
        await ask(
          () => api.call(images.delete, { params: { id: item.id } }),
          () => item.there.add(false),
          () => (item.there = new Set([false])),
        )
      },
    },
  }

  async function turn(item: Item | undefined, into: Instance['status'], question: (id: string) => Promise<unknown>) {
    if (!item) return
    await ask(
      () => question(item.id),
      () => item.statuses.add(into),
      () => (item.statuses = new Set([into])),
    )
  }

  return {
    /** Acts until the server stops responding or `enough` returns true. */
    async act(api: ApiClient, enough: () => boolean = () => false): Promise<void> {
      while (!enough()) {
        const kind = oneOf(kinds)!
        const names = Object.keys(actions[kind]).filter((it) => !without.includes(it))
        // half of all actions create an object
        const action = random() < 0.5 ? 'create' : oneOf(names)!
        try {
          await actions[kind][action]!(api)
        } catch (error) {
          if (error instanceof TypeError || error instanceof SyntaxError) return
          if (error instanceof NotKnown) {
            await pause(PAUSE_MS)
            continue
          }
          throw error
        }
      }
    },
  }
}

/** The known state of an object that has just been read. */
export const itemOf = (
  kind: Item['kind'],
  row: Instance | Volume | Image,
  status: Instance['status'] | null,
): Item => ({
  kind,
  id: row.id,
  there: new Set([true]),
  names: new Set([row.name]),
  statuses: new Set(status === null ? [] : [status]),
  holders: new Set('attachments' in row ? [row.attachments[0]?.server_id ?? ''] : []),
  sizes: new Set('attachments' in row ? [row.size] : []),
})
