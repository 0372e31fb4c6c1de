import { lazy, Suspense, useState } from 'react'
import { floatingIps, type FloatingIp, type PublishedPort } from '@mainstay/contract/networking/floating-ips'
import { useCall } from '../../../api/use-call'
import { useT } from '../../../i18n/use-t'
import { tellProblem } from '../../../notices/tell-problem'
import { useMay } from '../../../session/may'
import { Button } from '../../../ui/Button'
import { Panel } from '../../../ui/Panel'
import { IconButton } from '../../../ui/IconButton'
import { AddIcon, CloseIcon } from '../../../ui/icons'
import { StatusBadge } from '../../../ui/values/StatusBadge'
import { Mono } from '../../../ui/values/Mono'
import { SmallTable } from '../../../patterns/table/SmallTable'

const PublishForm = lazy(() => import('../forms').then((it) => ({ default: it.PublishForm })))

interface Props {
  floatingIp: FloatingIp
}

/** Ports of a floating IP that are reached at an address of the console's own machine: pressed, closed, and added to. */
export function PublishedPorts({ floatingIp }: Props) {
  const t = useT('networking')
  const may = useMay()
  const [isAdding, setAdding] = useState(false)
  const close = useCall(floatingIps.unpublish, { refresh: [floatingIps.list, floatingIps.view] })
  const mayChange = may(floatingIps.publish.needs)
  const { id, port_id, published_ports: published = [] } = floatingIp
  return (
    <Panel
      title={t('published.title')}
      count={published.length}
      isFlush
      action={
        mayChange && (
          <Button
            size="small"
            icon={AddIcon}
            disabledBecause={port_id === null ? t('published.notAssigned') : undefined}
            onPress={() => setAdding(true)}
          >
            {t('published.add')}
          </Button>
        )
      }
    >
      <SmallTable
        label={t('published.title')}
        rows={published}
        keyOf={({ port, protocol }) => `${protocol} ${port}`}
        empty={t('published.none')}
        columns={[
          {
            id: 'port',
            label: t('published.port'),
            render: ({ port, protocol }) => `${port} ${protocol.toUpperCase()}`,
          },
          { id: 'at', label: t('published.at'), render: (it) => <HostAddress published={it} /> },
          {
            id: 'state',
            label: t('status'),
            render: ({ fault }) =>
              fault === null ? (
                <StatusBadge tone="ok">{t('published.open')}</StatusBadge>
              ) : (
                <StatusBadge tone="bad" detail={fault}>
                  {t('published.closed')}
                </StatusBadge>
              ),
          },
          ...(mayChange
            ? [
                {
                  id: 'close',
                  isAtEnd: true,
                  render: ({ port, protocol }: PublishedPort) => (
                    <IconButton
                      icon={CloseIcon}
                      size="small"
                      label={t('published.close', { port })}
                      onPress={() => void close.run({ params: { id }, body: { port, protocol } }).catch(tellProblem)}
                    />
                  ),
                },
              ]
            : []),
        ]}
      />
      <Suspense fallback={null}>
        {isAdding && <PublishForm floatingIp={floatingIp} onClose={() => setAdding(false)} />}
      </Suspense>
    </Panel>
  )
}

/** Where it is reached; what speaks HTTP, as a link. */
function HostAddress({ published: { host_address, host_port, protocol, port } }: { published: PublishedPort }) {
  const address = `${host_address}:${host_port}`
  if (protocol !== 'tcp') return <Mono>{address}</Mono>
  const scheme = port === 443 || port === 8443 ? 'https' : 'http'
  return (
    <a href={`${scheme}://${address}`} target="_blank" rel="noreferrer">
      <Mono>{address}</Mono>
    </a>
  )
}
