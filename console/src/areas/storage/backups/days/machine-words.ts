import type { MachineDay } from '@mainstay/contract/storage/backup-days'
import type { Key } from '../../../../i18n/catalogues'
import type { Translate } from '../../../../i18n/use-t'

/** What happened to a virtual machine on a day; `none`: it has no recovery points of this day. */
export type CellState = MachineDay['state'] | 'none'

export const cellStates: readonly CellState[] = ['whole', 'part', 'failed', 'damaged', 'none']

const stateKeys: Readonly<Record<CellState, Key<'storage'>>> = {
  whole: 'backups.machines.is.whole',
  part: 'backups.machines.is.part',
  failed: 'backups.machines.is.failed',
  damaged: 'backups.machines.is.damaged',
  none: 'backups.machines.is.none',
}

export const stateText = (state: CellState, t: Translate<'storage'>): string => t(stateKeys[state])

/** The recovery points of a day in words: "3 recovery points, 1 failed". */
export function countsText(
  { points, failed, damaged }: MachineDay,
  t: Translate<'storage'>,
  list: (parts: string[]) => string,
) {
  return list([
    t('backups.days.points', { count: points }),
    ...(failed > 0 ? [t('backups.days.failed', { count: failed })] : []),
    ...(damaged > 0 ? [t('backups.days.damaged', { count: damaged })] : []),
  ])
}
