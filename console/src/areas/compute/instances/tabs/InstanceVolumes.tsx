import { useState } from 'react'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { volumes } from '@mainstay/contract/storage/volumes'
import { useCall } from '../../../../api/use-call'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { confirm } from '../../../../patterns/dialogs/confirm'
import { useMay } from '../../../../session/may'
import { Badge } from '../../../../ui/values/Badge'
import { Bytes } from '../../../../ui/values/Bytes'
import { EmptyState } from '../../../../ui/feedback/EmptyState'
import { IconButton } from '../../../../ui/IconButton'
import { AttachIcon, DetachIcon, ResizeIcon, VolumeIcon } from '../../../../ui/icons'
import { Mono } from '../../../../ui/values/Mono'
import { volumeResource } from '../../../storage/volumes/resource'
import { AttachVolumeForm } from './AttachVolumeForm'
import { ExtendVolumeForm } from './ExtendVolumeForm'
import { ExplainedButton } from '../ExplainedButton'
import type { InstanceTabProps } from './tab-props'
import { whyNot } from '../instance-reasons'
import css from './small-table.module.css'

type Disk = Instance['volumes'][number]

/** An instance's volumes: boot order, whether they are deleted with the instance, and actions for each. */
export default function InstanceVolumes({ instance }: InstanceTabProps) {
  const t = useT('instance')
  const list = useT('instances')
  const may = useMay()
  const [isAttaching, setAttaching] = useState(false)
  const [extended, setExtended] = useState<Disk>()
  const detach = useCall(instances.detachVolume, { refresh: [volumes.list] })
  const mayChange = may(instances.attachVolume.needs)
  const attach = mayChange && (
    <ExplainedButton
      size="small"
      icon={AttachIcon}
      disabledBecause={whyNot('attachVolume', instance, list)}
      about={{ call: 'instances.attachVolume', thing: instance }}
      onPress={() => setAttaching(true)}
    >
      {t('instances.attach')}
    </ExplainedButton>
  )

  const askDetach = ({ id, name }: Disk) =>
    void confirm({
      title: t('instances.detach.title', { name, instance: instance.name }),
      text: t('instances.detach.text'),
      verb: t('instances.detach.verb'),
      isDanger: true,
      run: (signal) => detach.run({ params: { id: instance.id, volume_id: id } }, { signal }),
    })

  return (
    <>
      <div className={css.bar}>
        <span className={css.hint}>{t('instances.volumesHint')}</span>
        {attach}
      </div>
      {instance.volumes.length === 0 ? (
        <EmptyState icon={VolumeIcon}>{t('instances.noVolumes')}</EmptyState>
      ) : (
        <table className={css.table}>
          <thead>
            <tr>
              <th scope="col">{list('instances.name')}</th>
              <th scope="col" className={css.end}>
                {t('instances.size')}
              </th>
              <th scope="col" className={css.wide}>
                {t('instances.device')}
              </th>
              <th scope="col">{t('instances.whenDeleted')}</th>
              {mayChange && (
                <th scope="col" className={css.end}>
                  {t('instances.actions')}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {instance.volumes.map((disk) => (
              <tr key={disk.id}>
                <td>
                  <Link to={volumeResource.paths.view(disk.id)}>
                    <bdi>{disk.name || disk.id}</bdi>
                  </Link>{' '}
                  {disk.boot_index === 0 && <Badge>{t('instances.bootsFirst')}</Badge>}
                </td>
                <td className={css.end}>
                  <Bytes of={disk.size} />
                </td>
                <td className={css.wide}>{disk.device ? <Mono>{disk.device}</Mono> : '–'}</td>
                <td>{t(disk.delete_on_termination ? 'instances.goesToo' : 'instances.stays')}</td>
                {mayChange && (
                  <td className={css.end}>
                    <span className={css.buttons}>
                      <IconButton
                        icon={ResizeIcon}
                        size="small"
                        label={t('instances.extendWhat', { name: disk.name })}
                        disabledBecause={whyNot('resizeDisk', instance, list)}
                        onPress={() => setExtended(disk)}
                      />
                      <IconButton
                        icon={DetachIcon}
                        size="small"
                        label={t('instances.detachWhat', { name: disk.name })}
                        disabledBecause={
                          whyNot('detachVolume', instance, list) ??
                          (disk.boot_index === 0 ? t('instances.why.bootVolume') : undefined)
                        }
                        onPress={() => askDetach(disk)}
                      />
                    </span>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {isAttaching && <AttachVolumeForm instance={instance} onClose={() => setAttaching(false)} />}
      {extended && <ExtendVolumeForm volume={extended} onClose={() => setExtended(undefined)} />}
    </>
  )
}
