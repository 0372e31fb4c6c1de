import { useT } from '../../../../i18n/use-t'
import { WarnIcon } from '../../../../ui/icons'
import { Bytes } from '../../../../ui/values/Bytes'
import type { WizardStep } from '../../../../patterns/wizard/WizardPage'
import { FlavorSize } from '../FlavorSize'
import { BootStep } from './BootStep'
import { BootSummary } from './BootSummary'
import { FlavorStep } from './FlavorStep'
import { bootBytes, type InstanceForm } from './instance-form'
import { KeyStep } from './KeyStep'
import { isSignInImpossible } from './proposals'
import { NetworksStep } from './NetworksStep'
import { scriptBytes, scriptKind } from './script-text'
import { ScriptStep } from './ScriptStep'
import css from './step.module.css'
import { VolumesStep } from './VolumesStep'

/** The wizard steps, each a summary row with a panel (S1§2: flavor, image, key, networks, volumes, script). */
export function useInstanceSteps(): WizardStep<InstanceForm>[] {
  const t = useT('instance')
  const list = useT('instances')
  return [
    {
      id: 'image',
      label: t('instances.add.boot'),
      fields: ['boot'],
      summary: ({ boot }) => boot && <BootSummary boot={boot} />,
      children: <BootStep />,
    },
    {
      id: 'flavor',
      label: t('instances.flavor'),
      fields: ['flavor'],
      summary: ({ flavor }) =>
        flavor && (
          <span className={css.line}>
            <bdi>{flavor.name}</bdi>
            <span className={css.dim}>
              <FlavorSize vcpus={flavor.vcpus} ram={flavor.ram} />
            </span>
          </span>
        ),
      children: <FlavorStep />,
    },
    {
      id: 'volumes',
      label: list('instances.volumes'),
      fields: ['boot_size', 'volumes'],
      summary: (form) => <VolumesSummary form={form} />,
      children: <VolumesStep />,
    },
    {
      id: 'networks',
      label: t('instances.networks'),
      fields: ['networks', 'no_network', 'security_groups', 'floating_ip'],
      summary: ({ networks, no_network, security_groups: groups, floating_ip: floatingIp }) =>
        no_network ? (
          t('instances.add.noNetwork')
        ) : networks.length > 0 ? (
          <span className={css.line}>
            {networks.map(({ network, address }, index) => (
              <span key={`${network.id}-${index}`}>
                <bdi>{network.name}</bdi> <span className={css.dim}>{address || t('instances.add.automatic')}</span>
              </span>
            ))}
            {groups.length > 0 && (
              <span className={css.dim}>{t('instances.add.groupsCount', { count: groups.length })}</span>
            )}
            {floatingIp !== null && <span className={css.dim}>{t('instances.nic.floatingIp')}</span>}
          </span>
        ) : null,
      children: <NetworksStep />,
    },
    {
      id: 'key',
      label: list('instances.sshKey'),
      fields: ['key'],
      isOptional: true,
      summary: (form) =>
        isSignInImpossible(form) ? (
          <span className={css.warning} role="status">
            <WarnIcon /> {t('instances.add.nobodyIn')}
          </span>
        ) : (
          form.key && <bdi>{form.key.name}</bdi>
        ),
      children: <KeyStep />,
    },
    {
      id: 'script',
      label: t('instances.script'),
      fields: ['script'],
      isOptional: true,
      summary: ({ script }) => {
        const kind = scriptKind(script)
        return (
          kind !== 'none' && (
            <span className={css.line}>
              {t(
                kind === 'script'
                  ? 'instances.script.isScript'
                  : kind === 'cloud-config'
                    ? 'instances.script.isConfig'
                    : 'instances.script.isUnknown',
              )}
              <span className={css.dim}>
                <Bytes of={scriptBytes(script)} />
              </span>
            </span>
          )
        )
      },
      children: <ScriptStep />,
    },
  ]
}

function VolumesSummary({ form }: { form: InstanceForm }) {
  const t = useT('instance')
  const boot = form.boot?.from === 'volume' ? form.boot.volume.size : bootBytes(form)
  if (boot === 0 && form.volumes.length === 0) return <span className={css.dim}>{t('instances.add.volumesLater')}</span>
  return (
    <span className={css.line}>
      {boot > 0 && (
        <span>
          {t('instances.add.bootVolume')} <Bytes of={boot} />
        </span>
      )}
      {form.volumes.map((disk, index) => (
        <span key={index} className={css.dim}>
          {disk.source === 'volume' ? <bdi>{disk.volume.name}</bdi> : t('instances.add.newVolume')}{' '}
          <Bytes of={disk.source === 'volume' ? disk.volume.size : disk.size} />
        </span>
      ))}
    </span>
  )
}
