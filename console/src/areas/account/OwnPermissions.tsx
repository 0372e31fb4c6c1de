import { lazy, Suspense, useId, useState } from 'react'
import { useT } from '../../i18n/use-t'
import { useSearchParam } from '../../nav/use-param'
import { OwnProject } from '../../patterns/permissions/OwnProject'
import { Button } from '../../ui/Button'
import { Skeleton } from '../../ui/feedback/Skeleton'
import css from './account.module.css'

const PermissionPanel = lazy(() => import('../../patterns/permissions/PermissionPanel'))

/** Why one may do something oneself, or may not. */
export function OwnPermissions() {
  const t = useT('account')
  const id = useId()
  // whoever was refused a page comes to ask
  const isBarred = useSearchParam('why') !== undefined
  const [isAsking, setAsking] = useState(isBarred)
  return (
    <section aria-labelledby={id}>
      <header className={css.head}>
        <div>
          <h2 id={id}>{t('permissions')}</h2>
          <p>{t('permissions.help')}</p>
        </div>
        {!isAsking && <Button onPress={() => setAsking(true)}>{t('permissions.ask')}</Button>}
      </header>
      {isAsking && (
        <Suspense fallback={<Skeleton width="60%" />}>
          <PermissionPanel projectField={(bound) => <OwnProject {...bound} />} />
        </Suspense>
      )}
    </section>
  )
}
