import type { Statement } from '@mainstay/contract/infrastructure/node-rules'
import type { Node } from '@mainstay/contract/infrastructure/nodes'
import type { Key } from '../../../../i18n/catalogues'
import { saidText } from '../../../../i18n/said'
import { useT } from '../../../../i18n/use-t'
import { Banner } from '../../../../ui/feedback/Banner'
import { Panel } from '../../../../ui/Panel'
import { CodeBlock } from '../../../../ui/values/CodeBlock'
import css from '../nodes.module.css'

/** Advice for which a specific command is shown, ready to be copied. */
const known: Readonly<
  Record<string, { text: Key<'nodes'>; command: (values: Statement['values']) => string } | undefined>
> = {
  'infrastructure.host_root_missing': {
    text: 'missing.rights',
    command: ({ user }) => `echo "${user} ALL=(ALL) NOPASSWD: ALL" | sudo tee /etc/sudoers.d/mainstay`,
  },
  'infrastructure.host_program_smartctl': {
    text: 'missing.smartctl',
    command: () => 'sudo apt-get install smartmontools',
  },
  'infrastructure.host_program_lldpctl': { text: 'missing.lldpctl', command: () => 'sudo apt-get install lldpd' },
}

/**
 * Lists data about a node that is missing because of missing permissions or programs, with the commands to provide
 * them.
 */
export function Missing({ node: { advice, restart_pending } }: { node: Node }) {
  const t = useT('nodes')
  return (
    <>
      {restart_pending && <Banner tone="warn">{t('restartPending')}</Banner>}
      {advice.length > 0 && (
        <Panel title={t('missing')}>
          <ul className={css.advice}>
            {advice.map((it) => (
              <li key={it.key}>
                <Advice advice={it} />
              </li>
            ))}
          </ul>
          <p className={css.dim}>{t('missing.seen')}</p>
        </Panel>
      )}
    </>
  )
}

function Advice({ advice }: { advice: Statement }) {
  const t = useT('nodes')
  const own = known[advice.key]
  if (!own) return <p>{saidText(advice, advice.message)}</p>
  return (
    <>
      <p>{t(own.text)}</p>
      <CodeBlock label={t('missing.command')}>{own.command(advice.values)}</CodeBlock>
    </>
  )
}
