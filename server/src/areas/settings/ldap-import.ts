import { Problem, problem } from '@mainstay/contract/core/problems'
import { LdapImport } from '@mainstay/contract/settings/ldap'
import type { Scope } from '@mainstay/engines/ports/scope'
import * as z from 'zod'
import { directorySetting, isInUse, type Directory } from '../../ldap/settings'
import { readDirectory } from '../../ldap/read-directory'
import { hasJobs } from '../../inventory/jobs'
import { job, schedule } from '../../module'
import type { StoredSetting, Setting } from '../../settings/settings'
import { enqueue } from '../../tasks/job'
import { serverScope } from '../../tasks/server-scope'
import type { Tools } from '../../tools'

/** Setting that stores the result of the last import. */
export const lastImportSetting: Setting<LdapImport> = { name: 'ldap.import', shape: LdapImport }

const SHOWN_FAULTS = 20
/** Jobs on the same subject run one at a time, so there is never more than one import. */
const subject = { kind: 'directory', id: 'ldap', name: 'LDAP' }
const NoArgs = z.strictObject({})
const NAME = 'identity.directory.import'

/** Starts an import and returns its task ID, or null if an import is already running. */
export const beginImport = ({ inventory }: Pick<Tools, 'inventory'>, scope: Scope, { hidden }: { hidden: boolean }) =>
  inventory.transaction(async (records, inside) => {
    // serialize concurrent calls, so that the second one finds the job started by the first
    await records.exclusive('imports from the directory')
    return (await hasJobs(inside, subject))
      ? null
      : enqueue(records, { name: NAME, args: NoArgs }, { args: {}, subject, scope, hidden })
  })

/** Ends the sessions of all users from the directory. Called when the directory is disabled. */
export async function endSessionsOfDirectory({ identity, sessions }: Tools): Promise<void> {
  await sessions.endOf(...((await identity.imports?.all()) ?? []))
}

type Progress = { signal: AbortSignal; progress(percent: number): void }

async function importNow(
  kept: StoredSetting<Directory>,
  { signal, progress }: Progress,
  tools: Tools,
): Promise<LdapImport> {
  const imports = tools.identity.imports!
  if (kept.isSealedElsewhere) throw problem('settings.bind_password_sealed')
  const known = await imports.names()
  const { people, groups, faults } = await readDirectory(kept.value, kept.secret, { signal, known })
  progress(20)
  // an empty result is more likely caused by a wrong filter than by all users being deleted
  if (people.length === 0 && (await imports.count()) > 0) throw problem('settings.nobody_matches')
  const done = await imports.apply({ people, groups }, { signal, onProgress: (part) => progress(20 + part * 75) })
  await tools.sessions.endOf(...done.disabled)
  const all = [...faults, ...done.faults]
  return {
    ...{ ended_at: new Date().toISOString(), error: null, people: people.length, groups: groups.length },
    ...{ added: done.added, changed: done.changed, disabled: done.disabled.length },
    ...{ faults: all.slice(0, SHOWN_FAULTS), faults_count: all.length },
  }
}

const nothing = { people: 0, groups: 0, added: 0, changed: 0, disabled: 0, faults: [], faults_count: 0 }

/** Imports people and groups from the directory as users and groups in the default domain. */
export const directoryImport = job({
  name: NAME,
  args: NoArgs,
  pool: 'bulk',
  async run({ signal, progress }, tools) {
    const kept = await tools.settings.read(directorySetting)
    if (!kept || !isInUse(kept.value) || !tools.identity.imports) return null
    const keep = (value: LdapImport) => tools.settings.change(lastImportSetting, () => ({ value }))
    try {
      const { faults: _, ...told } = (await keep(await importNow(kept, { signal, progress }, tools))).value
      return told
    } catch (error) {
      if (error instanceof Problem && !signal.aborted)
        await keep({ ended_at: new Date().toISOString(), error: error.message, ...nothing })
      throw error
    }
  },
})

/** Starts an import every hour. Failures are shown in the settings. */
export const directoryImportPlan = schedule({
  name: 'identity.directory.plan',
  job: job({
    name: 'identity.directory.plan',
    args: NoArgs,
    async run(_, tools) {
      const kept = await tools.settings.read(directorySetting)
      if (kept && isInUse(kept.value) && tools.identity.imports) await beginImport(tools, serverScope, { hidden: true })
    },
  }),
  plan: { cron: '23 * * * *', time_zone: 'UTC', jitter_seconds: 0, missed: 'once' },
})
