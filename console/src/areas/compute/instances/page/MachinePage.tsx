import { instanceKind, instances, type Instance } from '@mainstay/contract/compute/instances'
import { metricQueries } from '@mainstay/contract/monitoring/metric-queries'
import { useView } from '../../../../api/use-view'
import { useT } from '../../../../i18n/use-t'
import { useAppNavigate } from '../../../../nav/use-app-navigate'
import { useParam } from '../../../../nav/use-param'
import { ActionMenu } from '../../../../patterns/ActionMenu'
import { AlertsOf } from '../../../../patterns/alerts/AlertsOf'
import { ChartGrid } from '../../../../patterns/charts/ChartGrid'
import { RangeChoice, useRangeInAddress } from '../../../../patterns/charts/RangeChoice'
import { ViewContent } from '../../../../patterns/DrawerPage'
import { Page } from '../../../../patterns/Page'
import { useMay } from '../../../../session/may'
import { Banner } from '../../../../ui/feedback/Banner'
import { TagList } from '../../../../ui/values/TagList'
import { EmbeddedScreen } from '../console/EmbeddedScreen'
import { InstanceFault } from '../InstanceFault'
import { InstanceButtons } from '../InstanceHead'
import { InstanceStatus } from '../InstanceStatus'
import { instanceResource, machinePath } from '../resource'
import InstanceEvents from '../tabs/InstanceEvents'
import { useInstanceCharts } from '../tabs/instance-charts'
import { useInstanceActions } from '../use-instance-actions'
import { MachineFacts } from './MachineFacts'
import { MachineParts } from './MachineParts'
import { Panel } from './Panel'
import { Safeguards } from './Safeguards'
import css from './page.module.css'

/** Full page for an instance: details, console, metrics, volumes, networks and timeline. */
export default function MachinePage() {
  const t = useT('instance')
  const list = useT('instances')
  const patterns = useT('patterns')
  const go = useAppNavigate()
  const id = useParam('id')
  const view = useView(instances.view, { id }, { kind: instanceKind })
  const actions = useInstanceActions({ deleted: () => go(instanceResource.paths.list()), at: machinePath })
  const { data, isGone } = view
  const instance = data && isGone ? asGone(data) : data

  return (
    <Page
      title={<bdi>{instance?.name ?? list('instances.one')}</bdi>}
      aside={
        instance && (
          <span className={css.state}>
            <InstanceStatus instance={instance} />
            {instance.tags.length > 0 && (
              <TagList label={list('instances.tagsOf', { name: instance.name })} tags={instance.tags} />
            )}
          </span>
        )
      }
      actions={
        instance &&
        !isGone && (
          <>
            <InstanceButtons instance={instance} actions={actions} variant="primary" />
            <ActionMenu label={patterns('table.actionsOf', { name: instance.name })} items={actions.all(instance)} />
          </>
        )
      }
    >
      <ViewContent view={isGone ? { ...view, staleSince: undefined } : view}>
        {() =>
          instance && (
            <>
              {isGone ? (
                <Banner tone="warn" title={t('instances.page.gone')}>
                  {t('instances.page.goneText')}
                </Banner>
              ) : instance.fault ? (
                <InstanceFault instance={instance} />
              ) : (
                <AlertsOf kind={instanceKind.name} id={id} />
              )}
              <Parts instance={instance} isGone={isGone} />
            </>
          )
        }
      </ViewContent>
    </Page>
  )
}

/** A deleted instance in its last known state, without its task state and fault. */
const asGone = (instance: Instance): Instance => ({ ...instance, status: 'DELETED', task_state: null, fault: null })

function Parts({ instance, isGone }: { instance: Instance; isGone: boolean }) {
  const t = useT('instance')
  const may = useMay()
  return (
    <>
      <MachineFacts instance={instance} />
      <div className={css.place}>
        <div className={css.grid}>
          {may(instances.console.needs) && !isGone && (
            <Panel title={t('instances.page.screen')} className={css.screen}>
              <EmbeddedScreen id={instance.id} />
            </Panel>
          )}
          {may(metricQueries.range.needs) && <Use instance={instance} />}
          <Panel title={t('instances.page.timeline')} className={css.time}>
            <InstanceEvents instance={instance} isGone={isGone} />
          </Panel>
          <div className={css.parts}>
            <MachineParts instance={instance} isGone={isGone} />
            <Safeguards instance={instance} isGone={isGone} />
          </div>
        </div>
      </div>
    </>
  )
}

/** Usage charts for the instance. The selected time range is stored in the URL. */
function Use({ instance }: { instance: Instance }) {
  const t = useT('instance')
  const [range, setRange] = useRangeInAddress(machinePath(instance.id))
  const { cpu, memory, disk, network } = useInstanceCharts(instance)
  return (
    <Panel
      title={t('instances.page.use')}
      className={css.use}
      action={<RangeChoice range={range} onChange={setRange} />}
    >
      <ChartGrid charts={[cpu, memory, disk, network]} range={range} isCompact />
    </Panel>
  )
}
