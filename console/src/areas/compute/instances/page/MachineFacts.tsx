import type { ReactNode } from 'react'
import type { Instance } from '@mainstay/contract/compute/instances'
import { MiB } from '@mainstay/contract/core/bytes'
import { useT } from '../../../../i18n/use-t'
import { Amount, Bytes } from '../../../../ui/values/Bytes'
import { CopyableCode } from '../../../../ui/values/CopyableCode'
import { addressesOf, sshOf } from '../InstanceAddresses'
import { osName } from '../os-name'
import css from './page.module.css'

/** Details that users often copy: SSH command, addresses, size and image. */
export function MachineFacts({ instance }: { instance: Instance }) {
  const t = useT('instance')
  const list = useT('instances')
  const ssh = sshOf(instance)
  const addresses = addressesOf(instance)
  const { flavor, id } = instance
  return (
    <dl className={css.facts}>
      {ssh !== undefined && (
        <Fact label={t('instances.connect')}>
          <CopyableCode>{ssh}</CopyableCode>
        </Fact>
      )}
      <Fact label={list('instances.addresses')}>
        {addresses.length === 0 ? '–' : addresses.map((it) => <CopyableCode key={it}>{it}</CopyableCode>)}
      </Fact>
      <Fact label={t('instances.size')}>
        <bdi>{flavor.original_name}</bdi>
        <Amount of={flavor.vcpus} unit="vCPU" />
        <Bytes of={flavor.ram * MiB} />
      </Fact>
      <Fact label={list('instances.image')}>
        <bdi>{osName(instance, list)}</bdi>
      </Fact>
      <Fact label={t('instances.id')}>
        <CopyableCode>{id}</CopyableCode>
      </Fact>
    </dl>
  )
}

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)
