import type { Instance } from '@mainstay/contract/compute/instances'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { Badge } from '../../../../ui/values/Badge'
import { Bytes } from '../../../../ui/values/Bytes'
import { Mono } from '../../../../ui/values/Mono'
import { NetworkIcon, VolumeIcon } from '../../../../ui/icons'
import { instanceResource } from '../resource'
import { Panel } from './Panel'
import css from './page.module.css'

interface MachinePartsProps {
  instance: Instance
  isGone: boolean
}

/** Summarizes volumes and networks, with links to the tabs where they are managed. */
export function MachineParts({ instance, isGone }: MachinePartsProps) {
  const t = useT('instance')
  const list = useT('instances')
  const { id, volumes, networks } = instance
  const details = (tab: 'volumes' | 'network', label: string) =>
    !isGone && <Link to={instanceResource.paths.below(id, tab)}>{label}</Link>
  return (
    <>
      <Panel title={list('instances.volumes')} action={details('volumes', t('instances.page.volumes'))}>
        {volumes.length === 0 && <p className={css.none}>{t('instances.noVolumes')}</p>}
        <ul className={css.list}>
          {volumes.map((disk) => (
            <li key={disk.id}>
              <VolumeIcon />
              <bdi className={css.name}>{disk.name || disk.id}</bdi>
              {disk.boot_index === 0 && <Badge>{t('instances.bootsFirst')}</Badge>}
              <span className={css.end}>
                <Bytes of={disk.size} />
              </span>
            </li>
          ))}
        </ul>
      </Panel>
      <Panel title={t('instances.page.networks')} action={details('network', t('instances.page.interfaces'))}>
        {networks.length === 0 && <p className={css.none}>{t('instances.nic.none')}</p>}
        <ul className={css.list}>
          {networks.map(({ id: networkId, name, ips }) => (
            <li key={networkId}>
              <NetworkIcon />
              <bdi className={css.name}>{name}</bdi>
              <span className={css.end}>
                {ips.map((ip) => (
                  <Mono key={ip}>{ip}</Mono>
                ))}
              </span>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  )
}
