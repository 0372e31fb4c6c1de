import type { Node } from '@mainstay/contract/infrastructure/nodes'
import { useT } from '../../../../i18n/use-t'
import { Banner } from '../../../../ui/feedback/Banner'
import { Panel } from '../../../../ui/Panel'
import { CodeBlock } from '../../../../ui/values/CodeBlock'
import css from '../nodes.module.css'

/** Debian packages of the programs that read further facts. */
const packages: Readonly<Record<string, string | undefined>> = { smartctl: 'smartmontools', lldpctl: 'lldpd' }

/** Gives the account of the server all rights by sudo. `ACCOUNT` is replaced by the reader. */
const GRANT = `echo 'ACCOUNT ALL=(root) NOPASSWD: ALL' | sudo tee /etc/sudoers.d/mainstay
sudo chmod 440 /etc/sudoers.d/mainstay
sudo visudo -c`

/** What is not known about a node because of missing rights or programs, with the commands that change this. */
export function Missing({ node }: { node: Node }) {
  const t = useT('nodes')
  const { missing_programs, link, restart_pending } = node
  const hasNoRights = link.rights === 'none'
  return (
    <>
      {restart_pending && <Banner tone="warn">{t('restartPending')}</Banner>}
      {hasNoRights && (
        <Panel title={t('missing.rights')}>
          <div className={css.stack}>
            <p>{t('missing.rightsText')}</p>
            <CodeBlock label={t('missing.rightsCommand')}>{GRANT}</CodeBlock>
            <p className={css.dim}>{t('missing.rightsHelp')}</p>
          </div>
        </Panel>
      )}
      {missing_programs.length > 0 && (
        <Panel title={t('missing.programs')}>
          <div className={css.stack}>
            <ul className={css.plain}>
              {missing_programs.map((program) => (
                <li key={program}>
                  {program === 'smartctl' || program === 'lldpctl'
                    ? t(`missing.${program}`)
                    : t('missing.other', { program })}
                </li>
              ))}
            </ul>
            <CodeBlock label={t('missing.programsCommand')}>
              {`sudo apt install ${missing_programs.map((it) => packages[it] ?? it).join(' ')}`}
            </CodeBlock>
            <p className={css.dim}>{t('missing.seen')}</p>
          </div>
        </Panel>
      )}
    </>
  )
}
