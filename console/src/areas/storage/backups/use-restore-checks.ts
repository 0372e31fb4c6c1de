import { volumeBackups, type RestoreCheck } from '@mainstay/contract/storage/volume-backups'
import type { CallProblem } from '../../../api/problem'
import { useView } from '../../../api/use-view'
import type { Key } from '../../../i18n/catalogues'
import { useT } from '../../../i18n/use-t'
import type { Check, CheckState } from '../../../patterns/CheckTrace'

const titles: Readonly<Record<RestoreCheck['name'], Key<'storage'>>> = {
  chain: 'backups.check.chain',
  target: 'backups.check.target',
  quota: 'backups.check.quota',
  space: 'backups.check.space',
}

export interface RestoreChecks {
  checks: Check[]
  /** One of the checks failed, so the recovery point cannot be restored now. */
  hasFailed: boolean
  /** Null: there are no earlier restores to estimate it from. */
  estimatedSeconds: number | null
  isChecking: boolean
  problem: CallProblem | undefined
  checkAgain: () => void
}

const stateOf = ({ ok }: RestoreCheck): CheckState => (ok === null ? 'unknown' : ok ? 'passes' : 'refused')

/**
 * Asks the server whether a recovery point can be restored now, without restoring it. `isWhole`: with all those that were
 * created together with it.
 */
export function useRestoreChecks(id: string, { isWhole = false } = {}): RestoreChecks {
  const t = useT('storage')
  const { data, isLoading, isReloading, problem, reload } = useView(
    volumeBackups.checkRestore,
    { id },
    { query: { instant: String(isWhole) } },
  )
  return {
    checks: (data?.checks ?? []).map((check) => ({
      id: check.name,
      state: stateOf(check),
      title: t(titles[check.name]),
      detail: check.reason ?? (check.ok === null && t('backups.check.unknown')),
    })),
    hasFailed: data?.checks.some(({ ok }) => ok === false) ?? false,
    estimatedSeconds: data?.estimated_seconds ?? null,
    isChecking: isLoading || isReloading,
    problem,
    checkAgain: reload,
  }
}
