import { stat } from 'node:fs/promises'
import { taskIsOver, taskKind, type Task } from '@mainstay/contract/core/tasks'
import {
  managementBackup,
  type ManagementBackup,
  type ManagementBackupChange,
} from '@mainstay/contract/infrastructure/management-backup'
import { markFolder, openPlace, testPlace } from '@mainstay/engines/backup-places'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { serve } from '../../../http/serve'
import type { StoredSetting } from '../../../settings/settings'
import { serverScope } from '../../../tasks/server-scope'
import type { Tools } from '../../../tools'
import { beginBackup } from './backup-job'
import {
  backupSetting,
  backupSubject,
  changed,
  nothingSet,
  shown,
  withConfirmedKey,
  withPendingKey,
  type BackupSetting,
} from './management-backup.service'

async function viewOf(kept: StoredSetting<BackupSetting> | null, tools: Tools): Promise<ManagementBackup> {
  const query = { subject_id: backupSubject.id, limit: 10 }
  const { data } = await tools.inventory.list<Task>(taskKind, serverScope, query)
  const tasks = data
    .filter(({ state }) => !taskIsOver(state))
    .map(({ id, name, state, progress }) => ({ id, name, state, progress }))
  const place = kept?.value.place
  const folders = place?.kind === 'folder' ? [place.path, tools.config.dataFolder] : []
  const [own, ofServer] = await Promise.all(folders.map((folder) => stat(folder).catch(() => null)))
  const isOnSameDisk = own != null && own.dev === ofServer?.dev
  return shown(kept, { tasks, isOnSameDisk, now: new Date() })
}

/** Returns the settings and the state of the management backup. */
export const viewBackup = async (tools: Tools): Promise<ManagementBackup> =>
  viewOf(await tools.settings.read(backupSetting), tools)

const TEST_WITHIN_MS = 30_000

async function update(change: ManagementBackupChange, tools: Tools): Promise<ManagementBackup> {
  const { settings } = tools
  const isMoved = change.place !== undefined || change.secret_access_key !== undefined
  const saved = await settings.change(backupSetting, async (kept) => {
    const { value, secret } = changed(kept, change)
    if (isMoved && value.place) {
      const place = await openPlace({ place: value.place, marker: null, secret })
      await testPlace(place, AbortSignal.timeout(TEST_WITHIN_MS))
    }
    const marker = change.place?.kind === 'folder' ? await markFolder(change.place.path) : null
    return { value: change.place ? { ...value, marker } : value, secret }
  })
  return viewOf(saved, tools)
}

export const managementBackupRoutes = serve(
  managementBackup,
  {
    view: (_, tools) => viewBackup(tools),
    create: async ({ scope }, tools) => ({ task_id: await beginBackup(tools, scope) }),
    update: ({ body }, tools) => update(body, tools),
    async createKey({ caller }, { settings }) {
      const identity = await generateX25519Identity()
      const recipient = await identityToRecipient(identity)
      await settings.change(backupSetting, (kept) => ({
        value: withPendingKey(kept?.value ?? nothingSet, { recipient, identity, by: caller.user.name }),
      }))
      return { recipient, identity }
    },
    async confirmKey({ body }, tools) {
      const saved = await tools.settings.change(backupSetting, (kept) => ({
        value: withConfirmedKey(kept?.value ?? nothingSet, body),
      }))
      return viewOf(saved, tools)
    },
  },
  { about: 'management_backup' },
)
