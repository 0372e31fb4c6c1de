import { CopyButton } from './CopyButton'
import css from './CodeBlock.module.css'

/** Several lines: a key, a script, a log. Always left to right, its button with it. Scrolls, also by keyboard. */
export const CodeBlock = ({ children, label }: { children: string; label: string }) => (
  <div className={css.block} dir="ltr">
    <section aria-label={label}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <pre className={css.pre} tabIndex={0}>
        {children}
      </pre>
    </section>
    <span className={css.corner}>
      <CopyButton value={children} called={label} />
    </span>
  </div>
)
