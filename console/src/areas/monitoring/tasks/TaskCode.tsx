import { useState } from 'react'
import type { TaskRequest } from '@mainstay/contract/core/tasks'
import { useT } from '../../../i18n/use-t'
import { keepTwin, keptTwin } from '../../../patterns/twin/kept-twin'
import { keptRequest } from '../../../patterns/twin/request'
import { RequestCode } from '../../../patterns/twin/RequestCode'
import { Disclosure } from '../../../ui/Disclosure'

/** Shows the request that started a task, as code that repeats it. */
export function TaskCode({ request }: { request: TaskRequest }) {
  const t = useT('code')
  const [tab, setTab] = useState(() => keptTwin() ?? 'curl')
  const shown = keptRequest(request)
  if (!shown) return null
  return (
    <Disclosure title={t('ofTask')}>
      <RequestCode
        label={t('ofTask')}
        requests={[shown]}
        tab={tab}
        onTab={(next) => {
          setTab(next)
          keepTwin(next)
        }}
      />
    </Disclosure>
  )
}
