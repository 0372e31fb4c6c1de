import { lazy, Suspense, useState } from 'react'
import { useT } from '../../../i18n/use-t'
import { Button, type ButtonProps } from '../../../ui/Button'
import type { About } from '../../../patterns/table/row-action'

const WhyDialog = lazy(() => import('../../../patterns/permissions/WhyDialog'))

interface AskableButtonProps extends ButtonProps {
  /** What the server is asked about. */
  about: About
}

/** A button that says why it is barred, and when it is pressed then asks the server, as menus do by “Why not?”. */
export function ExplainedButton({ about, ...button }: AskableButtonProps) {
  const t = useT('instance')
  const [isAsking, setAsking] = useState(false)
  const { disabledBecause: reason } = button
  return (
    <>
      <Button
        {...button}
        disabledBecause={reason === undefined ? undefined : t('instances.whyPress', { reason })}
        onBarredPress={() => setAsking(true)}
      />
      <Suspense fallback={null}>{isAsking && <WhyDialog about={about} onClose={() => setAsking(false)} />}</Suspense>
    </>
  )
}
