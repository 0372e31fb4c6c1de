import { PortNumber } from '@mainstay/contract/networking/address-fields'
import { floatingIps, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { reach } from '@mainstay/contract/networking/reach'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { NumberField } from '../../../patterns/form/NumberField'
import { Select } from '../../../patterns/form/Select'
import { useWatched } from '../../../patterns/form/use-watched'
import { OUTSIDE } from '../reach/outside'
import { decidingKinds } from '../reach/reach-words'
import { ReachSteps } from '../reach/ReachSteps'
import css from './floating-ips.module.css'

interface Props {
  floatingIp: FloatingIp
}

const Publish = z.object({ port: PortNumber, protocol: z.enum(['tcp', 'udp']) })

/** Lets the console's own machine reach a port of a floating IP. */
export function PublishForm({ floatingIp, onClose }: Props & { onClose: () => void }) {
  const t = useT('networking')
  const { id, floating_ip_address: address } = floatingIp
  const publish = useCall(floatingIps.publish, { refresh: [floatingIps.list, floatingIps.view] })
  return (
    <FormDialog
      place="middle"
      title={t('published.addTo', { address })}
      verb={t('published.add')}
      schema={Publish}
      start={{ port: 80, protocol: 'tcp' as const }}
      send={(body) => publish.run({ params: { id }, body })}
      onClose={onClose}
    >
      <div className={css.pair}>
        <Select
          name="protocol"
          label={t('rules.protocol')}
          items={[
            { id: 'tcp', label: 'TCP' },
            { id: 'udp', label: 'UDP' },
          ]}
        />
        <NumberField
          name="port"
          label={t('published.port')}
          minValue={1}
          maxValue={65_535}
          formatOptions={{ useGrouping: false }}
        />
      </div>
      <WhatHappens floatingIp={floatingIp} />
    </FormDialog>
  )
}

/** What happens to a connection that comes to the port, before it is published. */
function WhatHappens({ floatingIp }: Props) {
  const t = useT('networking')
  const port = useWatched<number | null>('port')
  const protocol = useWatched<'tcp' | 'udp'>('protocol')
  const isAsked = port !== null && PortNumber.safeParse(port).success
  const { data } = useView(
    reach.ask,
    {},
    {
      madeOf: decidingKinds,
      isEnabled: isAsked,
      body: {
        source: { address: OUTSIDE },
        destination: { address: floatingIp.floating_ip_address },
        ...{ protocol, port: port ?? 1 },
      },
    },
  )
  if (!data || !isAsked) return null
  return (
    <section aria-label={t('published.happens')}>
      <h3 className={css.heading}>{t('published.happens')}</h3>
      <ReachSteps answer={data} />
    </section>
  )
}
