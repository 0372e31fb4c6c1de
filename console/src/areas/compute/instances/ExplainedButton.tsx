import { lazy, Suspense, useState } from 'react'
import { useT } from '../../../i18n/use-t'
import { Button, type ButtonProps } from '../../../ui/Button'
import type { About } from '../../../patterns/table/row-action'

const WhyDialog = lazy(() => import('../../../patterns/permissions/WhyDialog'))

interface ExplainedButtonProps extends ButtonProps {
  /** The API call and the object that the explanation is about. */
  about: About
}

/**
 * A button that shows why it is disabled. Pressing it while disabled opens the same explanation as “Why is this
 * unavailable?” in menus.
 */
export function ExplainedButton({ about, ...button }: ExplainedButtonProps) {
  const t = useT('instance')
  const [isAsking, setAsking] = useState(false)
  const { disabledBecause: reason } = button
  return (
    <>
      <Button
        {...button}
        disabledBecause={
          reason === undefined ? undefined : (
            <>
              {reason}
              <br />
              {t('instances.whyPress')}
            </>
          )
        }
        onBarredPress={() => setAsking(true)}
      />
      <Suspense fallback={null}>{isAsking && <WhyDialog about={about} onClose={() => setAsking(false)} />}</Suspense>
    </>
  )
}
