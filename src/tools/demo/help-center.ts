/** The demo's Help Center. Paragraphs are parted by an empty line. */
import type { ImportDocument } from '../import/import.schema.ts';

type Category = NonNullable<ImportDocument['help']>[number];

const BIDDING: Category = {
  slug: 'bidding',
  name: 'Bidding',
  description: 'How bids are placed, compared and decided.',
  position: 1,
  articles: [
    {
      slug: 'place-a-bid',
      title: 'Place a bid',
      body: `Create an account, confirm your email address, open a lot and enter your bid. The page names the \
minimum next bid and what it would cost you with premium and tax. A bid is binding: it cannot be taken back.

You see at once whether you lead. If somebody bids more, the page, the bell at the top and, as you chose, a mail \
tell you.`,
    },
    {
      slug: 'straight-and-proxy-bids',
      title: 'Bids and maximum bids',
      body: `“Your bid” is exactly the amount you name. A “maximum bid” is a ceiling: we bid for you, just enough \
for you to lead, and never above it. Nobody else is told your ceiling while you lead.

Of two maximum bids of the same amount, the one that was placed first leads.`,
    },
    {
      slug: 'confirm-a-bid',
      title: 'Why am I asked to confirm a bid?',
      body: `A bid of more than three times the minimum next bid is often a slip of the finger, and so is a bid of \
somebody who leads already. Before such a bid is placed you see its amount, the premium, the tax and the total, \
and say yes or no. Nothing has been placed until you say yes.`,
    },
    {
      slug: 'soft-close',
      title: 'Why did the end move?',
      body: `A bid in the last minutes extends the lot, so that nobody wins by being the last to press a button. \
The lot’s page always shows the end that is in force, and how often it has been moved.

Countdowns go by our clock, not by the one of your device.`,
    },
    {
      slug: 'reserves',
      title: 'What is a reserve?',
      body: `A reserve is the lowest price the seller will take. It is never shown; a lot only says whether it has \
been met. A lot that ends below its reserve is passed, not sold.`,
    },
    {
      slug: 'buy-now',
      title: 'Buying at once',
      body: `Some lots have a price at which they can be bought without waiting. “Buy now” is there until the first \
bid or, with a reserve, until the reserve is met.`,
    },
    {
      slug: 'check-a-result',
      title: 'Can I check a result?',
      body: `Yes. Each lot keeps a journal of every bid in the order in which it was decided, each entry chained to \
the one before it. After the close anybody can replay it by the published rules and compare.`,
    },
  ],
};

const REGISTERING: Category = {
  slug: 'registering',
  name: 'Registering',
  description: 'Who may bid where, and what it takes.',
  position: 2,
  articles: [
    {
      slug: 'register-to-bid',
      title: 'Register to bid',
      body: `In most auctions your first bid registers you, and you are given a paddle number. In some the seller \
approves each bidder: press “Register to bid” on the auction’s page, and you are told as soon as it is decided.`,
    },
    {
      slug: 'deposits',
      title: 'Deposits',
      body: `An auction may ask for a deposit. Press “Register to bid”, pay it, and you can bid at once. After the \
auction it is credited against what you bought; what is left comes back to you within minutes.`,
    },
    {
      slug: 'bid-limits',
      title: 'Bid limits',
      body: `A seller may limit what one bidder can owe: the sum of your maximum bids on the open lots where you \
lead. Your limit is on the auction’s page.`,
    },
    {
      slug: 'verification',
      title: 'Verified accounts',
      body: `Some auctions take bids of verified accounts only. Request verification on your profile; it usually \
takes a working day.`,
    },
  ],
};

const PAYING: Category = {
  slug: 'paying',
  name: 'Paying & collecting',
  description: 'What happens after the hammer.',
  position: 3,
  articles: [
    {
      slug: 'pay-an-invoice',
      title: 'Pay an invoice',
      body: `When you win, an invoice is made at once: hammer price, buyer’s premium and sales tax. “Pay now” on \
the lot, under “My bids” and under “Invoices” leads to where you pay. An invoice can be printed, with both \
addresses.`,
    },
    {
      slug: 'buyers-premium',
      title: 'The buyer’s premium',
      body: `The premium is a percentage on top of the hammer price. Every auction states its own before you bid, \
and every lot shows what a bid would cost with it.`,
    },
    {
      slug: 'refunds',
      title: 'Refunds',
      body: `A refund goes back the way the payment came. You are told when it is sent, and the invoice shows it.`,
    },
    {
      slug: 'land-closings',
      title: 'Closing on land',
      body: `Land is conveyed by warranty deed through a title company in the county. Bring your settlement \
statement and identification.`,
    },
  ],
};

const SELLING: Category = {
  slug: 'selling',
  name: 'Selling',
  description: 'Listing lots and running auctions.',
  position: 4,
  articles: [
    {
      slug: 'getting-approved',
      title: 'Getting approved',
      body: `A team may prepare auctions at once; publishing them needs approval by the house. It usually takes a \
working day.`,
    },
    {
      slug: 'staggered-ends',
      title: 'Staggered ends',
      body: `With a stagger the lots of an auction end one after another, in the order of their numbers, so that \
bidders can follow more than one.`,
    },
  ],
};

const ACCOUNT: Category = {
  slug: 'account',
  name: 'Your account',
  description: 'What we tell you, and how you keep it yours.',
  position: 5,
  articles: [
    {
      slug: 'notifications',
      title: 'What we tell you',
      body: `Under “Notifications” you choose, for each kind of news, whether it comes by email, on the page, both \
or not at all. Emails about one lot on which you are outbid come at most every ten minutes.`,
    },
    {
      slug: 'watch-and-save',
      title: 'Watching lots and saving searches',
      body: `“Watch” puts a lot on your watchlist, and we tell you an hour before it ends. “Save this search” keeps \
a search with its filters, and we tell you when new lots fit.`,
    },
    {
      slug: 'second-factor',
      title: 'A second factor',
      body: `Under “Security” you can have signing in ask for a code of your phone besides the password. Keep the \
recovery codes: each works once.`,
    },
  ],
};

export const DEMO_HELP: readonly Category[] = [BIDDING, REGISTERING, PAYING, SELLING, ACCOUNT];
