import { useT } from '../../../i18n/use-t'
import { ViewContent } from '../../../patterns/DrawerPage'
import { Page } from '../../../patterns/Page'
import { Banner } from '../../../ui/feedback/Banner'
import { EmptyState } from '../../../ui/feedback/EmptyState'
import { Panel } from '../../../ui/Panel'
import { CopyableCode } from '../../../ui/values/CopyableCode'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Time } from '../../../ui/values/Time'
import { Amount } from '../../../ui/values/Bytes'
import { SmallTable } from '../../../patterns/table/SmallTable'
import { ServiceBanner } from '../ServiceBanner'
import { useNetworkService } from '../../../pickers/use-network-service'

/** The state of networking on this host: requirements that are met or missing, and the networking processes. */
export default function NetworkHostPage() {
  const t = useT('networking')
  const view = useNetworkService()
  return (
    <Page title={t('operators.host')}>
      <ServiceBanner />
      <ViewContent view={view}>
        {({ host, outage }) => (
          <>
            {outage && <Banner tone="bad">{t('operators.outage')}</Banner>}
            {host === null ? (
              <EmptyState>{t('operators.elsewhere')}</EmptyState>
            ) : (
              <>
                <Panel title={t('operators.facts')} isFlush>
                  <SmallTable
                    label={t('operators.facts')}
                    rows={host.facts}
                    keyOf={({ name }) => name}
                    empty={t('operators.noFacts')}
                    columns={[
                      { id: 'name', label: t('name'), render: ({ name }) => <bdi>{name}</bdi> },
                      {
                        id: 'ok',
                        label: t('status'),
                        render: ({ ok }) => (
                          <StatusBadge tone={ok ? 'ok' : 'bad'}>
                            {t(ok ? 'operators.there' : 'operators.missing')}
                          </StatusBadge>
                        ),
                      },
                      {
                        id: 'detail',
                        label: t('operators.detail'),
                        render: ({ detail, command, at }) => (
                          <>
                            {at !== undefined && (
                              <>
                                <Time at={at} />{' '}
                              </>
                            )}
                            {detail === null ? '–' : <bdi>{detail}</bdi>}{' '}
                            {command !== null && <CopyableCode>{command}</CopyableCode>}
                          </>
                        ),
                      },
                    ]}
                  />
                </Panel>
                <Panel title={t('operators.processes')} isFlush>
                  <SmallTable
                    label={t('operators.processes')}
                    rows={host.processes}
                    keyOf={({ name }) => name}
                    empty={t('operators.noProcesses')}
                    columns={[
                      { id: 'name', label: t('name'), render: ({ name }) => <bdi>{name}</bdi> },
                      {
                        id: 'since',
                        label: t('operators.since'),
                        render: ({ running_since: since }) =>
                          since === null ? (
                            <StatusBadge tone="bad">{t('operators.stopped')}</StatusBadge>
                          ) : (
                            <Time at={since} />
                          ),
                      },
                      {
                        id: 'restarts',
                        label: t('operators.restarts'),
                        isAtEnd: true,
                        render: ({ restarts }) => <Amount of={restarts} />,
                      },
                      {
                        id: 'fault',
                        label: t('operators.lastFault'),
                        isWide: true,
                        render: ({ last_fault: fault }) => (fault === null ? '–' : <bdi>{fault}</bdi>),
                      },
                    ]}
                  />
                </Panel>
              </>
            )}
          </>
        )}
      </ViewContent>
    </Page>
  )
}
