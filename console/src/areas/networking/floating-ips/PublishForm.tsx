import { PortNumber } from '@mainstay/contract/networking/address-fields'
import { floatingIps, type FloatingIp } from '@mainstay/contract/networking/floating-ips'
import { useEffect, useRef, type RefObject } from 'react'
import * as z from 'zod'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { Checkbox, NumberField, Select } from '../../../patterns/form/form-fields'
import { FormDialog } from '../../../patterns/form/FormDialog'
import { useWatched } from '../../../patterns/form/use-watched'
import { ReachSteps } from '../reach/ReachSteps'
import { useFromOutside, useMissingRule, type MissingRule } from './from-outside'
import css from './floating-ips.module.css'

interface Props {
  floatingIp: FloatingIp
}

const Publish = z.object({ port: PortNumber, protocol: z.enum(['tcp', 'udp']), addsRule: z.boolean() })

/** Publishes a floating IP's port on the console host. */
export function PublishForm({ floatingIp, onClose }: Props & { onClose: () => void }) {
  const t = useT('networking')
  const { id, floating_ip_address: address } = floatingIp
  const publish = useCall(floatingIps.publish, { refresh: [floatingIps.list, floatingIps.view] })
  const { add } = useMissingRule()
  // add a rule only if the user was offered it
  const offeredRef = useRef<MissingRule>(null)

  async function send({ addsRule, ...body }: z.output<typeof Publish>) {
    const rule = addsRule ? offeredRef.current : null
    // publishing is idempotent, so the user can submit the form again if adding the rule fails
    const published = await publish.run({ params: { id }, body })
    if (rule) await add(rule)
    return published
  }

  return (
    <FormDialog
      place="middle"
      title={t('published.addTo', { address })}
      verb={t('published.add')}
      schema={Publish}
      start={{ port: 80, protocol: 'tcp' as const, addsRule: true }}
      send={send}
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
      <WhatHappens floatingIp={floatingIp} offeredRef={offeredRef} />
    </FormDialog>
  )
}

/** Connection check for a port before it is published. */
function WhatHappens({ floatingIp, offeredRef }: Props & { offeredRef: RefObject<MissingRule | null> }) {
  const t = useT('networking')
  const port = useWatched<number | null>('port')
  const protocol = useWatched<'tcp' | 'udp'>('protocol')
  const isAsked = port !== null && PortNumber.safeParse(port).success
  const { answer } = useFromOutside(floatingIp, { protocol, port: port ?? 1 }, isAsked)
  const { offer } = useMissingRule(isAsked ? answer : undefined)
  useEffect(() => {
    offeredRef.current = offer?.rule ?? null
  })
  if (!answer || !isAsked) return null
  // hide this step: the port is expected not to be published yet
  const steps = answer.steps.filter(({ code }) => code !== 'not_published')
  return (
    <section aria-label={t('published.happens')}>
      <h3 className={css.heading}>{t('published.happens')}</h3>
      <ReachSteps answer={{ ...answer, steps }} />
      {offer && (
        <Checkbox name="addsRule" help={t('published.addRuleHelp', { what: offer.what })}>
          {t('published.addRuleTo', { group: offer.group })}
        </Checkbox>
      )}
    </section>
  )
}
