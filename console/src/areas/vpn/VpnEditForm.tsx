import { useMemo, useState } from 'react'
import { connectionKind, ipsecSiteConnections, type IpsecSiteConnection } from '@mainstay/contract/vpn/connections'
import { ikePolicies, ipsecPolicies } from '@mainstay/contract/vpn/policies'
import { useCall } from '../../api/use-call'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { useCloseTo, useParam } from '../../nav/use-param'
import { toast } from '../../notices/notices'
import { Facts } from '../../patterns/Facts'
import { FormDialog } from '../../patterns/form/FormDialog'
import { withFields } from '../../patterns/form/with-fields'
import { Disclosure } from '../../ui/Disclosure'
import { SideFields } from './add/SideFields'
import { TunnelFields } from './add/TunnelFields'
import { vpnResource } from './resource'
import { useKnown, type Around } from './use-known'
import { vpnRefresh } from './use-vpn-actions'
import { changedVpnForm, vpnField } from './vpn-checks'
import { connectionChange, formOf } from './vpn-form'
import css from './vpn.module.css'
import { algorithmsText, ikeVersionText } from './words'

/**
 * `vpn/{vpnId}/edit/{returnRoute?}`: `list` returns to the list, any other value to the details. Policies cannot be
 * changed.
 */
export default function VpnEditForm() {
  const { data } = useView(ipsecSiteConnections.view, { id: useParam('id') }, { kind: connectionKind })
  const around = useKnown()
  return data && around ? <Form connection={data} around={around} /> : null
}

function Form({ connection, around }: { connection: IpsecSiteConnection; around: Around }) {
  const t = useT('vpn')
  const patterns = useT('patterns')
  // the connection as it was when the form opened; later updates must not look like changes made by the user
  const [before] = useState(connection)
  const { id, name, local_address: localAddress, local_subnets: ours, remote_subnets: theirs } = before
  const [start] = useState(() => formOf(before, around.groups))
  const schema = useMemo(() => changedVpnForm(t, around, before), [t, around, before])
  const update = useCall(ipsecSiteConnections.update, {
    refresh: vpnRefresh,
    done: (it) => toast(t('saved', { name: it.name })),
  })
  const { paths } = vpnResource
  const closeTo = useCloseTo(paths.list(), paths.view(id))
  return (
    <FormDialog
      title={t('editNamed', { name })}
      verb={patterns('save')}
      schema={schema}
      start={start}
      send={(form) => update.run({ params: { id }, body: connectionChange(form, before) }).catch(withFields(vpnField))}
      closeTo={closeTo}
    >
      <TunnelFields isThere localAddress={localAddress} autoFocus />
      <Disclosure
        title={t('side.title')}
        summary={t('side.text', { ours: ours.join(', '), theirs: theirs.join(', ') })}
      >
        <div className={css.fields}>
          <SideFields around={around} own={id} />
        </div>
      </Disclosure>
      <Policies connection={before} />
    </FormDialog>
  )
}

/**
 * Shows the policies. Both peers must use the same policies, so they cannot be changed; different policies require a
 * new connection.
 */
function Policies({ connection }: { connection: IpsecSiteConnection }) {
  const t = useT('vpn')
  const ike = useView(ikePolicies.view, { id: connection.ikepolicy_id }).data
  const ipsec = useView(ipsecPolicies.view, { id: connection.ipsecpolicy_id }).data
  return (
    <section aria-label={t('policies')} className={css.side}>
      <Facts
        rows={[
          [t('ike.title'), ike && [ike.name, ikeVersionText(ike.ike_version, t), algorithmsText(ike, t)].join(', ')],
          [t('ipsec.title'), ipsec && [ipsec.name, algorithmsText(ipsec, t)].join(', ')],
        ]}
      />
      <p className={css.dim}>{t('policies.fixed')}</p>
    </section>
  )
}
