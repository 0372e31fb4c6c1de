import { instanceCan, instanceIsRunning } from '@mainstay/contract/compute/instance-rules'
import { instances } from '@mainstay/contract/compute/instances'
import { placements } from '@mainstay/contract/compute/placements'
import { serverGroups } from '@mainstay/contract/compute/server-groups'
import { MiB } from '@mainstay/contract/core/bytes'
import { useT } from '../../../../i18n/use-t'
import { Link } from '../../../../nav/Link'
import { Facts } from '../../../../patterns/Facts'
import { LockFact } from '../../../../patterns/deletion-lock/LockFact'
import { useMay } from '../../../../session/may'
import { Amount, Bytes } from '../../../../ui/values/Bytes'
import { buttonClass } from '../../../../ui/button-class'
import { CopyableCode } from '../../../../ui/values/CopyableCode'
import { EditIcon } from '../../../../ui/icons'
import { Time } from '../../../../ui/values/Time'
import { TagList } from '../../../../ui/values/TagList'
import { VisuallyHidden } from '../../../../ui/VisuallyHidden'
import { addressesOf, sshOf } from '../InstanceAddresses'
import { InstanceFault } from '../InstanceFault'
import { InstanceStorage } from '../InstanceStorage'
import { InstanceCharts } from './InstanceCharts'
import { PlacementNames } from '../../placements/PlacementNames'
import { InstanceServerGroup } from './InstanceServerGroup'
import { instanceResource } from '../resource'
import type { InstanceTabProps } from './tab-props'
import { osName } from '../os-name'
import { whyNoFlavor } from '../instance-reasons'
import { LiveResizeLimits } from '../LiveResizeLimits'
import { useEngineCan, useEngineChoosesPlacements, useEngineHasHa, useEngineHasLiveResize } from '../use-engine-can'
import css from './InstanceOverview.module.css'

type Subject = 'flavor' | 'live-resize' | 'tags' | 'name' | 'metadata' | 'placements'

/** Properties of an instance, with links for editing them, and its current usage. */
export default function InstanceOverview({ instance }: InstanceTabProps) {
  const t = useT('instance')
  const list = useT('instances')
  const locks = useT('locks')
  const may = useMay()
  const hasHa = useEngineHasHa()
  const hasLiveResize = useEngineHasLiveResize()
  const canRestart = useEngineCan()('resizeWithRestart')
  const choosesPlacements = useEngineChoosesPlacements()
  const { id, name, flavor, host, tags, username } = instance
  const mayEdit = may(instances.update.needs)
  const edit = (subject: Subject, isPossible = true, what: Subject | 'description' = subject) =>
    mayEdit && isPossible && <EditLink id={id} subject={subject} what={what} />
  const addresses = addressesOf(instance)
  const ssh = sshOf(instance)

  return (
    <div className={css.overview}>
      <InstanceFault instance={instance} />
      {instanceIsRunning(instance) && <InstanceCharts instance={instance} />}
      <Facts
        rows={[
          // the SSH command is listed first, since users look it up most often
          ssh !== undefined && [t('instances.connect'), <Copyable key="ssh">{ssh}</Copyable>],
          [
            list('instances.addresses'),
            addresses.length > 0 && (
              <span className={css.addresses}>
                {addresses.map((address) => (
                  <Copyable key={address}>{address}</Copyable>
                ))}
              </span>
            ),
          ],
          username !== null && [t('instances.logInAs'), <Copyable key="user">{username}</Copyable>],
          row(
            t('instances.flavor'),
            <span className={css.flavor}>
              <bdi>{flavor.original_name}</bdi>
              <Amount of={flavor.vcpus} unit="vCPU" />
              <Bytes of={flavor.ram * MiB} />
            </span>,
            edit('flavor', whyNoFlavor(instance, canRestart, list) === undefined),
          ),
          hasLiveResize &&
            row(
              t('instances.liveResize'),
              <LiveResizeLimits instance={instance} />,
              edit('live-resize', instanceCan('rename', instance)),
            ),
          [list('instances.storage'), <InstanceStorage key="storage" volumes={instance.volumes} />],
          [list('instances.image'), <bdi key="image">{osName(instance, list)}</bdi>],
          row(
            list('instances.tags'),
            tags.length > 0 ? <TagList label={list('instances.tagsOf', { name })} tags={tags} /> : '–',
            edit('tags'),
          ),
          row(list('instances.name'), <bdi>{name}</bdi>, edit('name', instanceCan('rename', instance))),
          [locks('fact'), <LockFact key="lock" resource={instanceResource} item={instance} />],
          hasHa && [list('instances.ha'), list(instance.ha_enabled ? 'instances.on' : 'instances.off')],
          Boolean(host) && [list('instances.host'), <bdi key="host">{host}</bdi>],
          // these rows are listed last, since they are often empty
          row(
            t('instances.description'),
            instance.description || '–',
            edit('name', instanceCan('rename', instance), 'description'),
          ),
          [list('instances.sshKey'), instance.key_name && <bdi>{instance.key_name}</bdi>],
          row(
            t('instances.metadata'),
            <Words metadata={instance.metadata} />,
            edit('metadata', instanceCan('editMetadata', instance)),
          ),
          may(placements.list.needs) &&
            row(
              list('instances.placements'),
              <PlacementNames ids={instance.traits} />,
              edit('placements', choosesPlacements && instanceCan('rename', instance)),
            ),
          may(serverGroups.list.needs) && [t('instances.serverGroup'), <InstanceServerGroup key="group" id={id} />],
          [list('instances.created'), <Time key="created" at={instance.created} show="both" />],
          [t('instances.updated'), <Time key="updated" at={instance.updated} show="both" />],
          [t('instances.id'), <Copyable key="id">{id}</Copyable>],
        ]}
      />
    </div>
  )
}

const Words = ({ metadata }: { metadata: Record<string, string> }) => {
  const words = Object.entries(metadata).toSorted(([one], [other]) => (one < other ? -1 : 1))
  if (words.length === 0) return '–'
  return (
    <ul className={css.words}>
      {words.map(([key, value]) => (
        <li key={key}>
          <bdi className={css.word}>{key}</bdi> <bdi>{value || '–'}</bdi>
        </li>
      ))}
    </ul>
  )
}

/** Keeps the copy button from making its row taller than the others. */
const Copyable = ({ children }: { children: string }) => (
  <span className={css.tight}>
    <CopyableCode>{children}</CopyableCode>
  </span>
)

const row = (label: string, value: React.ReactNode, edit: React.ReactNode) =>
  [
    label,
    <span key="value" className={css.editable}>
      <span className={css.value}>{value}</span>
      {edit}
    </span>,
  ] as const

function EditLink({ id, subject, what }: { id: string; subject: Subject; what: Subject | 'description' }) {
  const t = useT('instance')
  return (
    <Link
      to={instanceResource.paths.below(id, 'edit', subject)}
      keepsSearch
      className={buttonClass({ variant: 'plain', size: 'small' }, css.pencil)}
    >
      <EditIcon />
      <VisuallyHidden>{t(`instances.edit.${what}`)}</VisuallyHidden>
    </Link>
  )
}
