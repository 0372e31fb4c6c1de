import { CopyButton } from './CopyButton'
import css from './CodeBlock.module.css'

/** Several lines: a key, a script, a log. Scrolls, also by keyboard. */
export const CodeBlock = ({ children, label }: { children: string; label: string }) => (
  <div className={css.block}>
    <section aria-label={label}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <pre className={css.pre} dir="ltr" tabIndex={0}>
        {children}
      </pre>
    </section>
    <span className={css.corner}>
      <CopyButton value={children} />
    </span>
  </div>
)
