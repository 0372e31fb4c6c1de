import { lazy, Suspense, useState } from 'react'
import type { DryCall } from '../../api/dry-run'
import { useT } from '../../i18n/use-t'
import { Button } from '../../ui/Button'
import { CodeIcon } from '../../ui/icons'
import { keepTwin, keptTwin, type TwinTab } from './kept-twin'
import css from './ShowCode.module.css'

const FormCode = lazy(() => import('./FormCode'))

/** Shows the request that a form would send, as code. The choice is remembered for the next form. */
export function ShowCode({ dryCalls }: { dryCalls: () => DryCall[] }) {
  const t = useT('patterns')
  const [tab, setTab] = useState(keptTwin)
  const show = (next: TwinTab | null) => {
    setTab(next)
    keepTwin(next)
  }
  return (
    <div className={css.twin}>
      <Button
        variant="plain"
        size="small"
        icon={CodeIcon}
        aria-expanded={tab !== null}
        onPress={() => show(tab === null ? 'curl' : null)}
      >
        {t(tab === null ? 'form.code' : 'form.codeHide')}
      </Button>
      <Suspense fallback={null}>{tab !== null && <FormCode dryCalls={dryCalls} tab={tab} onTab={show} />}</Suspense>
    </div>
  )
}
