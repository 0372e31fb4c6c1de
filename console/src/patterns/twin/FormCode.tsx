import { useEffect, useState } from 'react'
import { useWatch } from 'react-hook-form'
import type { DryCall } from '../../api/dry-run'
import { useT } from '../../i18n/use-t'
import type { TwinTab } from './kept-twin'
import { shownRequest, type ShownRequest } from './request'
import { RequestCode } from './RequestCode'

interface FormCodeProps {
  dryCalls: () => DryCall[]
  tab: TwinTab
  onTab: (tab: TwinTab) => void
}

/** The request that a form would send, shown as code. */
export default function FormCode({ dryCalls, tab, onTab }: FormCodeProps) {
  const t = useT('code')
  const values: unknown = useWatch()
  const [requests, setRequests] = useState<readonly ShownRequest[]>([])
  useEffect(() => {
    const calls = dryCalls().filter(({ endpoint }) => endpoint.verb !== 'GET')
    setRequests(calls.map((it) => shownRequest(it)))
    // oxlint-disable-next-line react/exhaustive-deps -- a form recreates its functions on each render; only its values count
  }, [values])
  return <RequestCode label={t('title')} requests={requests} tab={tab} onTab={onTab} />
}
