import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type { CallInput } from '../../../api/call'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { notifyError } from '../../../notices/notify-error'

/** Saves a change made from a menu. Errors are shown as a notification. */
export function useSaved<E extends Endpoint>(endpoint: E, list: Endpoint) {
  const t = useT('alerts')
  const save = useCall(endpoint, { refresh: [list] })
  return (input: CallInput<E>): void =>
    void save.run(input).catch((thrown: unknown) => notifyError(thrown, t('saveFailed')))
}
