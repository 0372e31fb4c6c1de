import type { Key } from '../../../../../i18n/catalogues'
import type { Translate } from '../../../../../i18n/use-t'
import type { Status } from '../../../../../patterns/table/columns'
import type { InstantState } from './instants'

/** Displayed status of recovery points that were created together. */
export function instantStatus(state: InstantState, t: Translate<'instance'>, storage: Translate<'storage'>): Status {
  switch (state) {
    case 'available':
      return { tone: 'ok', text: storage('backups.is.available') }
    case 'creating':
      return { tone: 'busy', text: storage('backups.is.creating') }
    case 'damaged':
      return { tone: 'bad', text: storage('backups.damaged') }
    case 'incomplete':
      return { tone: 'warn', text: t('instances.protection.incomplete') }
  }
}

const reasons: Readonly<Record<Exclude<InstantState, 'available'>, Key<'instance'>>> = {
  creating: 'instances.protection.why.creating',
  damaged: 'instances.protection.why.damaged',
  incomplete: 'instances.protection.why.incomplete',
}

/** Why a virtual machine cannot be restored from these recovery points now; undefined if it can. */
export const whyNotRestored = (state: InstantState, t: Translate<'instance'>): string | undefined =>
  state === 'available' ? undefined : t(reasons[state])
