/*
 * Cinder does not store all facts about a recovery point, for example the name of its volume. The other facts are
 * stored as metadata of the backup.
 */

/** First microversion with metadata of backups. */
export const metadataVersion = '3.43'
/** Cinder's limit for a value, in characters. */
const MAX_VALUE = 255

/** The facts that are stored as metadata. */
interface BackupFacts {
  instant_id: string
  /** Number of volumes that were captured together. */
  volumes: number
  volume_name: string
  bootable: boolean
  storage_policy_name: string
  parent_id: string | null
  server_id: string | null
  server_name: string | null
  device: string | null
  backup_plan_id: string | null
  backup_plan_name: string | null
}

const keys: Record<keyof BackupFacts, string> = {
  instant_id: 'mainstay_instant',
  volumes: 'mainstay_volumes',
  volume_name: 'mainstay_volume_name',
  bootable: 'mainstay_bootable',
  storage_policy_name: 'mainstay_storage_policy',
  parent_id: 'mainstay_parent',
  server_id: 'mainstay_server_id',
  server_name: 'mainstay_server_name',
  device: 'mainstay_device',
  backup_plan_id: 'mainstay_plan_id',
  backup_plan_name: 'mainstay_plan_name',
}
const factNames = Object.keys(keys) as (keyof BackupFacts)[]

/** Returns the metadata for a new backup. */
export const metadataOf = (facts: BackupFacts): Record<string, string> =>
  Object.fromEntries(
    factNames
      .filter((name) => facts[name] !== null && facts[name] !== '')
      // truncate by characters, so that no surrogate pair is cut in half
      .map((name) => [keys[name], [...String(facts[name])].slice(0, MAX_VALUE).join('')]),
  )

/** Reads the facts as texts. Null for those that are missing, as in backups that were not created here. */
export const factsIn = (metadata: Record<string, unknown>): Record<keyof BackupFacts, string | null> =>
  Object.fromEntries(
    factNames.map((name) => {
      const value = metadata[keys[name]]
      return [name, typeof value === 'string' && value !== '' ? value : null]
    }),
  ) as Record<keyof BackupFacts, string | null>
