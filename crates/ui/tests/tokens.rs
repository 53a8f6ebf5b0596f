//! The page's CSS and the scenes take their colours from one table.

#[test]
fn the_css_of_the_page_is_made_from_the_theme() {
    expect_test::expect_file!["../../../web/style/tokens.css"]
        .assert_eq(&schedscope_ui::theme::tokens_css());
}
