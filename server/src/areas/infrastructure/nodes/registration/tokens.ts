import { createHash, randomBytes } from 'node:crypto'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { problem } from '@mainstay/contract/core/problems'
import type { RecordsTransaction } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import { Secret } from '@mainstay/engines/ports/secret'
import type { Transaction } from 'kysely'
import * as z from 'zod'
import type { Setting, StoredSetting } from '../../../../settings/settings'
import type { Database } from '../../../../store/schema'
import type { Tools } from '../../../../tools'
import { changeNode, changeRecord, recordOf, recordsOf, type NodeRecord } from '../node-record'
import { NODES_LOCK } from '../node-rows'

const HOUR_MS = 3600_000

const Value = z.object({
  created_at: z.string(),
  created_by: z.object({ id: z.string(), name: z.string() }),
  expires_at: z.string(),
  used: z.object({ node_id: z.string() }).nullable(),
})
type TokenValue = z.infer<typeof Value>
/** Setting that stores the current token. The token itself is the secret of the setting until it is used. */
const tokenSetting: Setting<TokenValue> = { name: 'node_registration', shape: Value }

export type KeptToken = StoredSetting<TokenValue>

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
const newToken = (): string => `reg-${randomBytes(24).toString('base64url')}`
const expiryAfter = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString()
const isPast = (time: string): boolean => Date.parse(time) <= Date.now()

export const readToken = ({ settings }: Pick<Tools, 'settings'>): Promise<KeptToken | null> =>
  settings.read(tokenSetting)

/** Returns the secret of a token that can still be used, or null. */
export const validSecret = (kept: KeptToken | null): Secret | null =>
  kept?.secret && !isPast(kept.value.expires_at) ? kept.secret : null

/** Generates a token, which replaces the current one. */
export const generateToken = (
  { settings }: Pick<Tools, 'settings'>,
  { user_id: id, user_name: name }: Scope,
  hours: number,
): Promise<KeptToken> =>
  settings.change(tokenSetting, () => ({
    value: {
      created_at: new Date().toISOString(),
      created_by: { id, name },
      ...{ expires_at: expiryAfter(hours), used: null },
    },
    secret: new Secret(newToken()),
  }))

/**
 * Generates and stores a token with which a newly installed host can become its existing node again. Returns the token.
 */
export async function generateNodeToken(
  tx: RecordsTransaction,
  node: Pick<Node, 'id'>,
  hours: number,
): Promise<{ token: string; expires_at: string }> {
  const [token, expires_at] = [newToken(), expiryAfter(hours)]
  await changeRecord(tx, node.id, { reinstall: { token_hash: hashOf(token), expires_at } })
  return { token, expires_at }
}

/** Resets nodes that are waiting for a reinstallation whose token has expired. */
export const endReinstalls = ({ inventory }: { inventory: Pick<Tools['inventory'], 'transaction'> }): Promise<void> =>
  inventory.transaction(async (tx, db) => {
    const isOver = ({ reinstall }: NodeRecord) => reinstall !== null && isPast(reinstall.expires_at)
    const preparing = await tx.find<Node>('node', { activity: 'installing' })
    if (preparing.length === 0) return
    const recordIn = await recordsOf(db)
    for (const found of preparing.filter(({ id }) => isOver(recordIn(id)))) {
      const node = await tx.lock<Node>('node', found.id)
      // the token of the node may have been used or replaced in the meantime
      if (node?.activity !== 'installing' || !isOver(await recordOf(tx, node.id))) continue
      await changeRecord(tx, node.id, { reinstall: null })
      await changeNode(tx, node.id, () => ({ activity: null }))
    }
  })

/** A registration that has begun. */
export type Registering = { node_id: string; task_id: string }

/** What a token permits: adding a new node, or replacing the host of an existing node. */
export type TokenUse = { replaces: Node | null; by: { id: string; name: string } | null }

/** Returns what a token permits, without using it. Throws `registration_token`. */
export async function checkToken(tools: Pick<Tools, 'settings' | 'inventory'>, token: string): Promise<TokenUse> {
  const kept = await readToken(tools)
  const secret = validSecret(kept)
  if (secret && hashOf(secret.reveal()) === hashOf(token)) return { replaces: null, by: kept!.value.created_by }
  const node = await tools.inventory.transaction(async (tx, db) => {
    const preparing = await tx.find<Node>('node', { activity: 'installing' })
    if (preparing.length === 0) return null
    const [recordIn, hash] = [await recordsOf(db), hashOf(token)]
    const isFor = ({ reinstall }: NodeRecord) => reinstall?.token_hash === hash && !isPast(reinstall.expires_at)
    return preparing.find(({ id }) => isFor(recordIn(id))) ?? null
  })
  if (node) return { replaces: node, by: null }
  throw problem('infrastructure.registration_token')
}

/**
 * Uses a token for the node that `work` begins to add. The token is invalid afterwards. Throws `registration_token` if
 * another host was faster. If `work` fails, the token stays valid.
 */
export async function useToken(
  tools: Pick<Tools, 'settings' | 'inventory'>,
  { token, use: { replaces } }: { token: string; use: TokenUse },
  work: (tx: RecordsTransaction, db: Transaction<Database>) => Promise<Registering>,
): Promise<Registering> {
  const hash = hashOf(token)
  if (replaces)
    return tools.inventory.transaction(async (tx, db) => {
      await tx.exclusive(NODES_LOCK)
      await tx.lock('node', replaces.id)
      if ((await recordOf(tx, replaces.id)).reinstall?.token_hash !== hash)
        throw problem('infrastructure.registration_token')
      await changeRecord(tx, replaces.id, { reinstall: null })
      return work(tx, db)
    })
  return tools.inventory.transaction(async (tx, db, tables) => {
    const begun: Registering[] = []
    await tools.settings.changeIn(tables, tokenSetting, async (kept) => {
      const secret = validSecret(kept)
      if (!secret || hashOf(secret.reveal()) !== hash) throw problem('infrastructure.registration_token')
      const one = await work(tx, db)
      begun.push(one)
      return { value: { ...kept!.value, used: { node_id: one.node_id } }, secret: null }
    })
    return begun[0]!
  })
}
