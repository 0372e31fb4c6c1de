import css from './Kbd.module.css'

/** A key on the keyboard. */
export const Kbd = ({ children }: { children: string }) => <kbd className={css.kbd}>{children}</kbd>
