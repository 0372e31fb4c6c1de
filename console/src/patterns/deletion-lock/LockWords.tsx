import type { DeletionLock } from '@mainstay/contract/core/deletion-locks'
import { useT } from '../../i18n/use-t'
import { Time } from '../../ui/values/Time'

/** Shows who locked an object, when, and why. */
export function LockWords({ lock: { by, at, reason } }: { lock: DeletionLock }) {
  const t = useT('locks')
  return (
    <span>
      {t('held', { by: <bdi key="by">{by}</bdi>, when: <Time key="when" at={at} /> })}
      {reason !== null && (
        <>
          {' '}
          <q dir="auto">{reason}</q>
        </>
      )}
    </span>
  )
}
