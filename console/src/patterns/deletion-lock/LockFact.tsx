import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { LockIcon } from '../../ui/icons'
import css from './LockFact.module.css'
import type { Lockable, LockableResource } from './lockable'
import { LockWords } from './LockWords'
import { useDeletionLock } from './use-deletion-lock'

interface LockFactProps {
  resource: LockableResource
  item: Lockable
}

/**
 * Details row that shows whether and by whom an object is locked against deletion, with a button to change the lock.
 */
export function LockFact({ resource, item }: LockFactProps) {
  const t = useT('locks')
  const [action] = useDeletionLock(resource).action(item)
  const { deletion_lock: lock } = item
  return (
    <span className={css.fact}>
      <span className={css.words}>
        {lock ? (
          <>
            <LockIcon /> <LockWords lock={lock} />
          </>
        ) : (
          t('none')
        )}
      </span>
      {action && (
        <Button size="small" onPress={() => action.run?.()}>
          {t(lock ? 'unlock.verb' : 'lock.short')}
        </Button>
      )}
    </span>
  )
}
