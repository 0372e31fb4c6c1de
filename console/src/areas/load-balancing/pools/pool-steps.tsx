import { useT } from '../../../i18n/use-t'
import type { WizardStep } from '../../../patterns/wizard/WizardPage'
import { forwardingText, monitorText } from '../words'
import { MemberFields } from './MemberFields'
import { MonitorFields } from './MonitorFields'
import { forwardingOf, monitorDraft, type PoolForm } from './pool-form'

/** Summarizes the forwarding in the wizard: "HTTP 80 to HTTP 8080". */
export const summaryOf = (form: PoolForm, t: ReturnType<typeof useT<'loadBalancing'>>): string => {
  const { protocol, backend_protocol } = forwardingOf(form.forwarding)
  return forwardingText(
    { protocol, backend_protocol, protocol_port: form.port ?? 0, backend_protocol_port: form.backendPort ?? 0 },
    t,
  )
}

/** Wizard steps for the members and the health check. `at`: prefix for field names; `step`: prefix for step IDs. */
export function usePoolSteps<Values>(
  poolOf: (values: Values) => PoolForm | null,
  { at = '', step = '' } = {},
): WizardStep<Values>[] {
  const t = useT('loadBalancing')
  return [
    {
      id: `${step}vms`,
      label: t('members.title'),
      fields: [`${at}members`],
      isOptional: true,
      summary(values) {
        const pool = poolOf(values)
        return pool && pool.members.length > 0 && t('members.count', { count: pool.members.length })
      },
      children: <MemberFields at={at} />,
    },
    {
      id: `${step}healthmonitor`,
      label: t('monitor.title'),
      fields: [`${at}monitor`],
      isOptional: true,
      summary(values) {
        const pool = poolOf(values)
        const monitor = pool && monitorDraft(pool.monitor)
        return pool && (monitor ? monitorText(monitor, t) : t('monitor.none'))
      },
      children: <MonitorFields at={at} />,
    },
  ]
}
