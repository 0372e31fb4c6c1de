import { loadBalancerPools, poolKind, type LoadBalancerPool } from '@mainstay/contract/load-balancing/pools'
import type { ReactNode } from 'react'
import { useView } from '../../../api/use-view'
import { useT } from '../../../i18n/use-t'
import { Link } from '../../../nav/Link'
import { useAppNavigate } from '../../../nav/use-app-navigate'
import { useParam } from '../../../nav/use-param'
import { DrawerPage } from '../../../patterns/DrawerPage'
import { Facts } from '../../../patterns/Facts'
import { standardFacts } from '../../../patterns/resource/standard-facts'
import { useMay } from '../../../session/may'
import { useIsAllTenants } from '../../../session/session'
import { buttonClass } from '../../../ui/button-class'
import { Banner } from '../../../ui/feedback/Banner'
import { EditIcon } from '../../../ui/icons'
import { Mono } from '../../../ui/values/Mono'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Time } from '../../../ui/values/Time'
import { CellNote, SmallTable } from '../../../patterns/table/SmallTable'
import { instanceResource } from '../../compute/instances/resource'
import css from '../load-balancing.module.css'
import { poolPaths, poolTabs, type PoolPart } from '../resource'
import { Traffic } from '../Traffic'
import {
  algorithmKeys,
  balancerStatus,
  certificateNames,
  foreignFacts,
  forwardingText,
  memberHealth,
  monitorText,
} from '../words'
import { CertificateExpiry } from './CertificateExpiry'
import { usePoolActions } from './use-pool-actions'

/** `load-balancers/{loadBalancerId}/{loadBalancerPoolId}/{overview|properties|members|allowed-cidrs}`: pool details. */
export default function PoolPage() {
  const t = useT('loadBalancing')
  const go = useAppNavigate()
  const balancer = useParam('id')
  const id = useParam('poolId')
  const asked = useParam('tab')
  const selected = poolTabs.find((it) => it === asked) ?? 'overview'
  const view = useView(loadBalancerPools.view, { id }, { kind: poolKind })
  const closeTo = poolPaths.list(balancer)
  const actions = usePoolActions(() => go(closeTo, { replace: true }))
  const { data } = view
  return (
    <DrawerPage
      view={view}
      what={t('pools.one')}
      title={({ name }) => name}
      subtitle={(pool) => forwardingText(pool, t)}
      actions={actions}
      closeTo={closeTo}
      size="large"
      tabs={{
        items: [
          { id: 'overview', label: t('overview') },
          { id: 'properties', label: t('properties') },
          { id: 'members', label: t('members.title'), count: data?.members_count },
          { id: 'allowed-cidrs', label: t('pools.cidrs'), count: data?.allowed_cidrs.length },
        ],
        selected,
        to: (tab) =>
          poolPaths.view(
            balancer,
            id,
            poolTabs.find((it) => it === tab),
          ),
      }}
    >
      {(pool) => (
        <div className={css.part}>
          {selected === 'overview' && <Overview pool={pool} />}
          {selected === 'properties' && <Properties pool={pool} />}
          {selected === 'members' && <Members pool={pool} />}
          {selected === 'allowed-cidrs' && <Ranges pool={pool} />}
        </div>
      )}
    </DrawerPage>
  )
}

function EditLink({ pool, part, children }: { pool: LoadBalancerPool; part: PoolPart; children: string }) {
  const may = useMay()
  if (!may(loadBalancerPools.update.needs)) return null
  return (
    <div>
      <Link to={poolPaths.part(pool.loadbalancer_id, pool.id, part)} className={buttonClass({ variant: 'quiet' })}>
        <EditIcon />
        <span>{children}</span>
      </Link>
    </div>
  )
}

function Overview({ pool }: { pool: LoadBalancerPool }) {
  const t = useT('loadBalancing')
  const { tone, text } = balancerStatus(pool, t)
  const { fault, healthmonitor: monitor } = pool
  return (
    <>
      {fault && (
        <Banner tone={pool.status === 'ERROR' ? 'bad' : 'warn'} title={t('fault')}>
          {fault}
        </Banner>
      )}
      <Facts
        rows={[
          [
            t('status'),
            <StatusBadge key="status" tone={tone}>
              {text}
            </StatusBadge>,
          ],
          [t('monitor.title'), monitor ? monitorText(monitor, t) : t('monitor.none')],
        ]}
      />
      <EditLink pool={pool} part="health">
        {t('monitor.edit')}
      </EditLink>
      <Traffic balancerId={pool.loadbalancer_id} poolId={pool.id} />
    </>
  )
}

function Properties({ pool }: { pool: LoadBalancerPool }) {
  const t = useT('loadBalancing')
  const patterns = useT('patterns')
  const isAllTenants = useIsAllTenants()
  const headers = Object.entries(pool.insert_headers).flatMap(([name, isOn]) => (isOn ? [name] : []))
  const { certificate, sni_certificates: sni = [], connection_limit: limit } = pool
  return (
    <Facts
      rows={[
        [t('description'), pool.description],
        [t('enabledFact'), t(pool.enabled ? 'yes' : 'no')],
        [t('pools.rule'), forwardingText(pool, t)],
        [t('pools.algorithm'), t(algorithmKeys[pool.lb_algorithm])],
        [t('pools.sticky'), t(pool.sticky_session ? 'yes' : 'no')],
        [t('pools.proxy'), t(pool.proxy_protocol_enabled ? 'yes' : 'no')],
        [t('pools.headers'), headers.length > 0 && <Lines key="headers" of={headers.map((name) => [name, name])} />],
        [t('pools.limit'), limit < 0 ? t('pools.unlimited') : String(limit)],
        certificate !== null && [t('pools.certificate'), certificateNames(certificate)],
        certificate !== null && [t('pools.certificateEnds'), <Time key="end" at={certificate.not_after} show="both" />],
        sni.length > 0 && [
          t('sni.title'),
          <Lines
            key="sni"
            of={sni.map((one) => [
              one.fingerprint,
              <>
                <bdi>{certificateNames(one)}</bdi>
                <CellNote>
                  <CertificateExpiry at={one.not_after} />
                </CellNote>
              </>,
            ])}
          />,
        ],
        ...foreignFacts(pool, t),
        ...(standardFacts(pool, patterns, isAllTenants) ?? []),
      ]}
    />
  )
}

/** Renders a list with one item per line. */
const Lines = ({ of }: { of: readonly (readonly [key: string, line: ReactNode])[] }) => (
  <ul className={css.lines}>
    {of.map(([key, line]) => (
      <li key={key}>{line}</li>
    ))}
  </ul>
)

function Members({ pool }: { pool: LoadBalancerPool }) {
  const t = useT('loadBalancing')
  return (
    <>
      <SmallTable
        label={t('members.title')}
        rows={pool.members}
        keyOf={({ id }) => id}
        empty={t('members.none')}
        columns={[
          {
            id: 'member',
            label: t('members.one'),
            render: ({ name, instance_id: instance, address }) => (
              <>
                {instance ? <Link to={instanceResource.paths.view(instance)}>{name}</Link> : <bdi>{name}</bdi>}{' '}
                {name !== address && <Mono>{address}</Mono>}
              </>
            ),
          },
          {
            id: 'health',
            label: t('members.health'),
            render(member) {
              const { tone, text } = memberHealth(member, t)
              return (
                <>
                  <StatusBadge tone={tone}>{text}</StatusBadge>
                  {member.enabled && member.reason && <CellNote>{member.reason}</CellNote>}
                </>
              )
            },
          },
          { id: 'weight', label: t('members.weight'), render: ({ weight }) => weight, isAtEnd: true },
        ]}
      />
      <EditLink pool={pool} part="members">
        {t('members.edit')}
      </EditLink>
    </>
  )
}

function Ranges({ pool }: { pool: LoadBalancerPool }) {
  const t = useT('loadBalancing')
  return (
    <>
      {pool.allowed_cidrs.length === 0 ? (
        <p>{t('pools.everybody')}</p>
      ) : (
        <ul aria-label={t('pools.cidrs')}>
          {pool.allowed_cidrs.map((it) => (
            <li key={it}>
              <Mono>{it}</Mono>
            </li>
          ))}
        </ul>
      )}
      <EditLink pool={pool} part="allowed-cidrs">
        {t('pools.editCidrs')}
      </EditLink>
    </>
  )
}
