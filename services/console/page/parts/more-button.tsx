interface MoreButtonProps {
  readonly more: () => void;
  readonly isLoading: boolean;
  readonly title?: string;
}

/** Asks for what comes next. While it is loading it keeps the focus, which a disabled button would lose. */
export function MoreButton({ more, isLoading, title = "Show more" }: MoreButtonProps) {
  return (
    <button type="button" class="more" aria-disabled={isLoading} onClick={() => isLoading || more()}>
      {isLoading ? "Loading" : title}
    </button>
  );
}
